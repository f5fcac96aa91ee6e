//! What a pod requests in all, as quotas and the scheduler count it.

use std::collections::BTreeMap;

use super::{
    ByName, Container as PodContainer, PodSpec, PodTemplateSpec, Quantity, ResourceRequirements,
    TemplateContainer,
};

/// Billionths by resource.
pub type Amounts = BTreeMap<String, i128>;

/// Billionths in a thousandth, and in one.
const MILLI: i128 = 1_000_000;
const ONE: i128 = 1_000_000_000;

/// What the containers of a pod request, and the most that they may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodDemand {
    /// The containers, init containers first, in their order.
    pub containers: Vec<ContainerDemand>,
    overhead: Amounts,
}

/// What a container requests, and the most that it may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerDemand {
    /// Its name.
    pub name: String,
    /// When it runs.
    pub runs: Runs,
    /// What it requests; what only a limit names is requested, too.
    pub requests: Amounts,
    /// The most that it may use.
    pub limits: Amounts,
}

/// When a container runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Alone, before the pod starts.
    Before,
    /// From its place among the init containers until the end.
    Beside,
    /// Once all init containers are through.
    Always,
}

/// A container's name, what it requires, and whether it is a sidecar.
type Container<'a> = (&'a str, Option<&'a ResourceRequirements>, bool);

impl PodDemand {
    /// That of a template, or of a pod that has the same fields; absent where an
    /// amount is too large.
    pub fn of_template(spec: &PodTemplateSpec) -> Option<Self> {
        fn container(it: &TemplateContainer) -> Container<'_> {
            let is_sidecar = it.restart_policy.as_deref() == Some("Always");
            (&it.name, it.resources.as_ref(), is_sidecar)
        }
        let init = spec.init_containers.iter().map(container);
        Self::new(init, spec.containers.iter().map(container), &spec.overhead)
    }

    /// That of a pod; absent where an amount is too large.
    pub fn of_pod(spec: &PodSpec) -> Option<Self> {
        fn container(it: &PodContainer) -> Container<'_> {
            (&it.name, it.resources.as_ref(), it.is_sidecar())
        }
        let init = spec.init_containers.iter().map(container);
        Self::new(init, spec.containers.iter().map(container), &spec.overhead)
    }

    fn new<'a>(
        init: impl Iterator<Item = Container<'a>>,
        own: impl Iterator<Item = Container<'a>>,
        overhead: &ByName<Quantity>,
    ) -> Option<Self> {
        let init = init.map(|it| (it, if it.2 { Runs::Beside } else { Runs::Before }));
        let all = init.chain(own.map(|it| (it, Runs::Always)));
        let containers = all.map(|((name, resources, _), runs)| {
            let of = |amounts: fn(&ResourceRequirements) -> &ByName<Quantity>| {
                amounts_of(resources.into_iter().flat_map(|it| amounts(it).entries()))
            };
            let (mut requests, limits) = (of(|it| &it.requests)?, of(|it| &it.limits)?);
            for (name, limit) in &limits {
                requests.entry(name.clone()).or_insert(*limit);
            }
            Some(ContainerDemand {
                name: name.to_owned(),
                runs,
                requests,
                limits,
            })
        });
        Some(Self {
            containers: containers.collect::<Option<_>>()?,
            overhead: amounts_of(overhead.entries())?,
        })
    }

    /// What it requests in all (component-helpers `resource.PodRequests`).
    pub fn requests(&self) -> Amounts {
        let mut all = self.total(|container| &container.requests);
        add(&mut all, &self.overhead);
        all
    }

    /// The most that it may use in all, of what a container limits
    /// (component-helpers `resource.PodLimits`).
    pub fn limits(&self) -> Amounts {
        let mut all = self.total(|container| &container.limits);
        for (name, amount) in &mut all {
            *amount += self.overhead.get(name).copied().unwrap_or_default();
        }
        all
    }

    /// The larger of what runs in the end and of what runs at each step before,
    /// without the overhead.
    pub fn total(&self, of: impl Fn(&ContainerDemand) -> &Amounts) -> Amounts {
        let (mut lasting, mut highest) = (Amounts::new(), Amounts::new());
        for container in &self.containers {
            if container.runs == Runs::Before {
                let mut step = lasting.clone();
                add(&mut step, of(container));
                raise(&mut highest, &step);
            } else {
                add(&mut lasting, of(container));
            }
        }
        raise(&mut highest, &lasting);
        highest
    }
}

/// Quantities in billionths; absent where one is too large.
pub fn amounts_of<'q, N: AsRef<str> + 'q>(
    quantities: impl Iterator<Item = &'q (N, Quantity)>,
) -> Option<Amounts> {
    let amounts = quantities.map(|(name, quantity)| {
        let amount = quantity.nano_value()?;
        Some((name.as_ref().to_owned(), amount))
    });
    amounts.collect()
}

fn add(all: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        *all.entry(name.clone()).or_default() += amount;
    }
}

/// Takes over what is larger, or was not there.
pub fn raise(all: &mut Amounts, other: &Amounts) {
    for (name, amount) in other {
        let own = all.entry(name.clone()).or_insert(*amount);
        *own = (*own).max(*amount);
    }
}

/// An amount as the scheduler holds it: whole thousandths of cpu, whole numbers of
/// all else, rounded up.
pub fn as_scheduled(resource: &str, amount: i128) -> i128 {
    let step = if resource == "cpu" { MILLI } else { ONE };
    (amount + step - 1).div_euclid(step) * step
}

//! The specs to try: from files, and from fields that are set.

use std::path::{Path, PathBuf};

use crate::api::{
    AutoscalerMeta, CrossVersionObjectReference, HorizontalPodAutoscaler, HpaSpec, HpaStatus,
};
use crate::cli::failure::{Failure, Refused};
use crate::cli::kind::{FileKind, STANDARD_INPUT, name};
use crate::document::FieldPath;
use crate::document::document_texts;
use crate::document::manifest::{self, Assignment, Manifest, Refusal, Rules};
use crate::trace::{NOW, ShellCommand};
use crate::what_if::{Candidate, patch};

/// What a candidate of fields that are set is called.
const SET: &str = "--set";

/// The files that were named, read.
pub struct Files(Vec<File>);

struct File {
    /// What it is called in messages.
    name: String,
    /// Its text: which fields there are depends on the cluster's gates, which
    /// are known later.
    text: String,
}

/// The command that creates an HPA of a file.
fn create(namespace: &str, file: &str) -> Option<ShellCommand> {
    let command = ShellCommand::new("kubectl apply").namespace(namespace);
    command.and("-f").word(file).pasteable()
}

impl Files {
    /// Reads the files.
    pub fn read(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        let mut empty = Vec::new();
        for path in paths {
            let hint = "-f needs a manifest, or - for standard input";
            let text = FileKind::Manifest.read(path, hint)?;
            let name = name(path);
            if document_texts(&text).is_empty() {
                empty.push(format!("{name}: it is empty; it must have an HPA"));
            }
            files.push(File { name, text });
        }
        if empty.is_empty() {
            Ok(Self(files))
        } else {
            Err(Refused(empty).into())
        }
    }

    /// What the first file is called.
    pub fn first_name(&self) -> &str {
        self.0.first().map_or("", |file| &file.name)
    }

    /// An HPA that does not exist yet, as the first file has it; nothing where none
    /// does.
    /// Errors: what is wrong with any of the files, a line each.
    pub fn autoscaler(
        &self,
        (namespace, name): (&str, &str),
        rules: Rules,
    ) -> Result<Option<HorizontalPodAutoscaler>, Refused> {
        let manifests = self.all((namespace, name), rules)?;
        let first = manifests.first();
        Ok(first.map(|(_, manifest)| autoscaler(namespace, name, manifest)))
    }

    /// The HPA of a name in each of the files.
    fn all(&self, hpa: (&str, &str), rules: Rules) -> Result<Vec<(String, Manifest)>, Refused> {
        let mut found = Vec::new();
        let mut wrong = Vec::new();
        for file in &self.0 {
            match manifest::find(manifest::read(&file.text, rules), hpa) {
                Ok(manifest) => found.push((file.name.clone(), manifest)),
                Err(refusals) => wrong.extend(refusals.iter().map(|it| at(&file.name, it))),
            }
        }
        if wrong.is_empty() {
            Ok(found)
        } else {
            Err(Refused(wrong))
        }
    }
}

/// `new.yaml:12:5: …`.
pub fn at(file: &str, refusal: &Refusal) -> String {
    match refusal.place {
        Some(place) => format!("{file}:{}:{}: {}", place.line, place.column, refusal),
        None => format!("{file}: {refusal}"),
    }
}

/// An HPA, and the specs to try in the place of its own.
pub struct Proposed {
    /// The HPA; of one that does not exist yet, with the spec that comes first.
    pub hpa: HorizontalPodAutoscaler,
    /// Whether it does not exist yet.
    pub is_new: bool,
    /// What is not as the HPA has it, on every side.
    pub remarks: Vec<String>,
    /// The specs to try, the files' first.
    pub candidates: Vec<Candidate>,
}

impl Proposed {
    /// Reads the files under the rules that the API server goes by.
    /// Errors: what is wrong with any of the specs, a line each.
    pub fn of(
        mut hpa: HorizontalPodAutoscaler,
        is_new: bool,
        files: &Files,
        assignments: &[Assignment],
        rules: Rules,
    ) -> Result<Self, Refused> {
        let manifests = files.all((&hpa.metadata.namespace, &hpa.metadata.name), rules)?;
        hpa.spec.set_defaults();
        let remarks = settle(&mut hpa.spec, rules);
        Ok(Self {
            candidates: candidates(manifests, assignments, &hpa, is_new, rules)?,
            hpa,
            is_new,
            remarks,
        })
    }
}

/// The HPA of a manifest, as it would be when it has just been created.
pub fn autoscaler(namespace: &str, name: &str, manifest: &Manifest) -> HorizontalPodAutoscaler {
    let mut spec = manifest.spec.clone();
    spec.set_defaults();
    HorizontalPodAutoscaler {
        api_version: "autoscaling/v2".to_owned(),
        kind: "HorizontalPodAutoscaler".to_owned(),
        metadata: AutoscalerMeta {
            name: name.into(),
            namespace: namespace.into(),
            ..AutoscalerMeta::default()
        },
        spec,
        status: HpaStatus::default(),
    }
}

/// Takes the HPA's fallbacks as the rules have them: with their defaults, or
/// without the gate not at all, which is said.
fn settle(spec: &mut HpaSpec, rules: Rules) -> Vec<String> {
    let all: Vec<String> = spec.fallbacks().map(|(field, _)| field).collect();
    spec.drop_fallbacks(rules.external_metric_fallback);
    spec.set_fallback_defaults();
    let why = if rules.external_metric_fallback {
        "it must be {replicas, failureDurationSeconds}"
    } else {
        "no Kubernetes release has this field"
    };
    let is_gone = |field: &&String| spec.fallbacks().all(|(kept, _)| kept != **field);
    let gone = all.iter().filter(is_gone);
    gone.map(|field| format!("{field} of the HPA is ignored on every side: {why}"))
        .collect()
}

/// The specs to try; a new HPA has nothing to set fields of.
fn candidates(
    manifests: Vec<(String, Manifest)>,
    assignments: &[Assignment],
    hpa: &HorizontalPodAutoscaler,
    is_new: bool,
    rules: Rules,
) -> Result<Vec<Candidate>, Refused> {
    let current = (!is_new).then_some(&hpa.spec);
    let mut found = Vec::new();
    let mut wrong = Vec::new();
    for (file, manifest) in manifests {
        match manifest::accepted(&manifest, current, rules) {
            Ok(spec) => {
                wrong.extend(current.and_then(|it| other_target(&file, it, &spec)));
                let is_file = is_new && file != STANDARD_INPUT;
                found.push(Candidate {
                    create: is_file
                        .then(|| create(&hpa.metadata.namespace, &file))
                        .flatten(),
                    name: file,
                    patch: current.and_then(|_| patch(hpa, &spec)),
                    spec,
                    server: None,
                });
            }
            Err(refusals) => wrong.extend(refusals.iter().map(|it| at(&file, it))),
        }
    }
    if !assignments.is_empty() && is_new {
        wrong.push("--set changes an HPA that exists; this one does not".to_owned());
    } else if !assignments.is_empty() {
        match manifest::edited(hpa, assignments, rules) {
            Ok(spec) => {
                wrong.extend(other_target(SET, &hpa.spec, &spec));
                found.push(Candidate {
                    name: SET.to_owned(),
                    create: None,
                    patch: patch(hpa, &spec),
                    spec,
                    server: None,
                });
            }
            Err(refusals) => {
                wrong.extend(refusals.iter().map(Refusal::to_string));
                wrong.extend(below_the_other_bound(assignments, &hpa.spec));
            }
        }
    }
    shorten(&mut found);
    tell_apart(&mut found);
    if wrong.is_empty() {
        Ok(found)
    } else {
        Err(Refused(wrong))
    }
}

/// Refuses a field that `--set` gives several times, or once more as a part: the last one
/// would hide the others.
pub fn expect_each_once(assignments: &[Assignment]) -> anyhow::Result<()> {
    for (at, it) in assignments.iter().enumerate() {
        let mut earlier = assignments[..at].iter();
        if let Some(first) = earlier.find(|own| own.field.is_within(&it.field)) {
            let message = if first.field == it.field {
                format!(
                    "--set gives {} twice: {} and {}",
                    it.field, first.text, it.text
                )
            } else {
                format!("--set {it} replaces --set {first} before it")
            };
            return Err(Failure::usage(
                message,
                "leave one out; to compare several specs, give each as a file",
            ));
        }
    }
    Ok(())
}

/// What the bound is that a maximum is below.
fn below_the_other_bound(assignments: &[Assignment], spec: &HpaSpec) -> Option<String> {
    let set = |path: &'static str| {
        let field = FieldPath::from(path);
        assignments.iter().find(|it| it.field == field)
    };
    let max: i32 = set("spec.maxReplicas")?.text.parse().ok()?;
    let min = spec.min_replicas.unwrap_or(1);
    ((1..min).contains(&max) && set("spec.minReplicas").is_none()).then(|| {
        format!("spec.minReplicas is {min}; --set spec.minReplicas={max} lowers it as well")
    })
}

/// The inputs are those of one target.
fn other_target(name: &str, current: &HpaSpec, spec: &HpaSpec) -> Option<String> {
    let (now, other) = (&current.scale_target_ref, &spec.scale_target_ref);
    let is_similarly_named = now.kind == other.kind && now.name == other.name;
    let reported = |it: &CrossVersionObjectReference| match it.group() {
        _ if !is_similarly_named => format!("{}/{}", it.kind, it.name),
        "" => format!("{}/{} of no API group", it.kind, it.name),
        group => format!("{}.{group}/{}", it.kind, it.name),
    };
    (!now.is_same_target(other)).then(|| {
        format!(
            "{name}: spec.scaleTargetRef: it is {}, but the HPA scales {}; an HPA for another target \
             needs another name",
            reported(other),
            reported(now)
        )
    })
}

/// Names that tell the sides apart, also from the one that there is.
fn tell_apart(candidates: &mut [Candidate]) {
    let mut taken = vec![NOW.to_owned()];
    for candidate in candidates {
        let own = candidate.name.clone();
        let mut number = 2;
        while taken.contains(&candidate.name) {
            candidate.name = format!("{own} ({number})");
            number += 1;
        }
        taken.push(candidate.name.clone());
    }
}

/// Files by their names alone, where that tells them apart.
fn shorten(candidates: &mut [Candidate]) {
    let short = |name: &str| {
        let file = Path::new(name).file_name();
        file.map_or_else(|| name.to_owned(), |it| it.to_string_lossy().into_owned())
    };
    let names: Vec<String> = candidates.iter().map(|it| short(&it.name)).collect();
    for (candidate, name) in candidates.iter_mut().zip(&names) {
        if names.iter().filter(|it| *it == name).count() == 1 {
            candidate.name.clone_from(name);
        }
    }
}

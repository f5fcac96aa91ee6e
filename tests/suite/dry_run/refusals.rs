//! What cannot be compared is refused as a whole, with its place.

use super::folder::{Folder, WEB};

/// Fields that are set, and what is said of it.
#[rustfmt::skip] // one row a line
const SET: [(&[&str], &str); 32] = [
    (&["spec.maxReplica=30"], "--set spec.maxReplica=30: spec.maxReplica: no such field; did you mean maxReplicas?"),
    (&["spec.behaviour.scaleDown.selectPolicy=Max"], "spec.behaviour: no such field; did you mean behavior?"),
    (&["spec.metrics[0].resource.target.averageUtilisation=5"], "spec.metrics[0].resource.target.averageUtilisation: no such field; did you mean averageUtilization?"),
    (&["spec.maxReplicas=many"], "--set spec.maxReplicas=many: spec.maxReplicas: must be a whole number"),
    (&["spec.maxReplicas=NaN"], "spec.maxReplicas: must be a whole number such as 10, not the string \"NaN\""),
    (&["spec.maxReplicas=7.5"], "spec.maxReplicas: must be a whole number"),
    (&["spec.maxReplicas=99999999999"], "spec.maxReplicas: must be a whole number"),
    (&["spec.maxReplicas=-1"], "--set spec.maxReplicas=-1: spec.maxReplicas: Invalid value: -1: must be greater than"),
    (&["spec.maxReplicas=[1]"], "spec.maxReplicas: must be a whole number such as 10, not a list"),
    (&["spec.maxReplicas=null"], "spec.maxReplicas"),
    (&["spec.minReplicas=0"], "--set spec.minReplicas=0: spec.metrics: Forbidden: must specify at least one Object or External metric"),
    (&["spec.minReplicas=-1"], "--set spec.minReplicas=-1: spec.minReplicas: Invalid value: -1: must be greater than or equal to 1"),
    (&["spec.minReplicas=.nan"], "spec.minReplicas: must be a whole number such as 10, not the string \".nan\""),
    (&["spec.metrics=5"], "--set spec.metrics=5: spec.metrics: must be a list, not 5"),
    (&["spec.behavior.scaleUp.selectPolicy=Min", "spec.minReplicas=21"], "--set spec.behavior.scaleUp.selectPolicy=Min --set spec.minReplicas=21: spec.maxReplicas: Invalid value: 20"),
    (&["spec.minReplicas=21"], "--set spec.minReplicas=21: spec.maxReplicas: Invalid value: 20: must be greater than or equal to `minReplicas`"),
    (&["spec.behavior.scaleDown.stabilizationWindowSeconds=-60"], "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -60"),
    (&["spec.behavior.scaleDown.stabilizationWindowSeconds=3601"], "Invalid value: 3601: must be less than or equal to 3600"),
    (&["spec.behavior.scaleUp.tolerance=NaN"], "spec.behavior.scaleUp.tolerance: must be a quantity such as 250m or 1Gi, not the string \"NaN\""),
    (&["spec.behavior.scaleUp.selectPolicy=Most"], "spec.behavior.scaleUp.selectPolicy: Unsupported value: \"Most\""),
    (&["spec.behavior.scaleUp.policies[0].value=4"], "spec.behavior.scaleUp.policies[0].type: Unsupported value: \"\""),
    (&["spec.metrics[2].type=Pods"], "--set spec.metrics[2].type=Pods: spec.metrics[2] is beyond the end: spec.metrics has 1 item; spec.metrics[0] changes the last one, spec.metrics[1] adds one"),
    (&["spec.metrics[1]=null"], "spec.metrics[1] is beyond the end"),
    (&["spec.metrics[1].type=null"], "spec.metrics[1] is beyond the end"),
    (&["spec.behaviour.scaleUp=null"], "spec.behaviour: no such field; did you mean behavior?"),
    (&["spec.behavior.scaelUp=null"], "spec.behavior.scaelUp: no such field; did you mean scaleUp?"),
    (&["spec.behavior[0]=null"], "spec.behavior[0]: no such field"),
    (&["spec.maxReplica=null"], "spec.maxReplica: no such field; did you mean maxReplicas?"),
    (&["spec.maxReplicas.x=1"], "spec.maxReplicas is a number and has no fields"),
    (&["spec.maxReplicas[0]=1"], "spec.maxReplicas is a number and has no items"),
    (&["spec.minReplicas=4", "spec.scaleTargetRef.name=api"], "it is Deployment/api, but the HPA scales Deployment/web"),
    (&["spec.scaleTargetRef.apiVersion=apps.openshift.io/v1"], "it is Deployment.apps.openshift.io/web, but the HPA scales Deployment.apps/web"),
];

#[test]
fn a_field_that_cannot_be_set_so_is_named() {
    let folder = Folder::of("stuck-without-samples");
    for (set, says) in SET {
        let flags: Vec<String> = set.iter().map(|it| format!("--set={it}")).collect();
        let flags = flags.iter().map(String::as_str);
        let arguments: Vec<&str> = std::iter::once("web").chain(flags).collect();
        let (code, answered, complained) = folder.run(&arguments);
        assert_eq!(code, Some(1), "{set:?}: {answered}{complained}");
        assert_eq!(answered, "", "{set:?}");
        assert!(
            complained.contains(says),
            "{set:?}: want {says:?}\nin {complained}"
        );
        assert!(complained.contains("hint: "), "{set:?}: {complained}");
    }
}

#[test]
fn a_path_that_is_none_is_a_mistake_of_usage() {
    let folder = Folder::of("stuck-without-samples");
    let rows = [
        (
            "maxReplicas",
            "give PATH=VALUE, such as spec.maxReplicas=20",
        ),
        (
            "maxReplicas=3",
            "is not a path; did you mean spec.maxReplicas=3?",
        ),
        (
            "maxReplicas: 20",
            "`maxReplicas: 20` is not a path; did you mean spec.maxReplicas=20?",
        ),
        ("maxReplicas : 20", "did you mean spec.maxReplicas=20?"),
        ("metadata.name=x", "is not a field of spec"),
        ("spec=x", "is not a field of spec"),
        ("spec.maxReplicas=", "has no value; null removes a field"),
        ("spec..x=1", "a field has no name"),
        ("spec.metrics[x].type=Pods", "is not a list index"),
        ("spec.metrics[0.type=Pods", "is not a list index"),
    ];
    for (set, says) in rows {
        let (code, answered, complained) = folder.run(&["web", "--set", set]);
        assert_eq!(code, Some(2), "{set}: {complained}");
        assert_eq!(answered, "", "{set}");
        assert!(
            complained.contains(says),
            "{set}: want {says:?}\nin {complained}"
        );
    }
    let twice = [
        "web",
        "--set=spec.maxReplicas=20",
        "--set=spec.maxReplicas=30",
    ];
    let (code, _, complained) = folder.run(&twice);
    assert_eq!(code, Some(2), "{complained}");
    let says = "--set gives spec.maxReplicas twice: 20 and 30\nhint: leave one out";
    assert!(complained.contains(says), "{complained}");
    let (code, _, complained) = folder.run(&["web"]);
    assert_eq!(code, Some(2), "{complained}");
    let both = "give -f FILE or --set PATH=VALUE";
    assert!(complained.contains(both), "{complained}");
}

/// To remove what is not there changes nothing, and adds nothing around it.
#[test]
fn nothing_comes_from_a_removal() {
    let folder = Folder::of("stuck-without-samples");
    for set in [
        "spec.behavior.scaleDown.selectPolicy=null",
        "spec.behavior.scaleDown=null",
        "spec.behavior=null",
        "spec.metrics[0].external.metric.selector.matchLabels.absent=null",
    ] {
        let (code, answered, complained) = folder.run(&["web", "--set", set, "-ojson"]);
        assert_eq!(code, Some(0), "{set}: {complained}");
        let document: serde_json::Value = serde_json::from_str(&answered).expect("JSON");
        let side = &document["candidates"][0];
        assert_eq!(side["spec"]["behavior"], serde_json::Value::Null, "{set}");
        assert_eq!(side["patch"], serde_json::Value::Null, "{set}");
    }
}

#[test]
fn values_take_the_types_of_their_fields() {
    let folder = Folder::of("stuck-without-samples");
    let rows = [
        "spec.metrics[0].resource.target.averageUtilization=50",
        "spec.metrics[1]={type: External, external: {metric: {name: 5}, target: {type: Value, value: 5}}}",
        "spec.behavior.scaleUp.selectPolicy=Min",
        "spec.behavior.scaleUp.tolerance=0.05",
        "spec.minReplicas=null",
        "spec.behavior={}",
        "spec.behavior.scaleDown.policies[0]={type: Pods, value: 2, periodSeconds: 60}",
    ];
    for set in rows {
        let (code, answered, complained) = folder.run(&["web", "--set", set]);
        let is_text = set.contains("name: 5");
        assert_eq!(code, Some(i32::from(is_text)), "{set}: {complained}");
        assert_eq!(answered.is_empty(), is_text, "{set}");
    }
    let external = [
        "spec.metrics[1].type=External",
        "spec.metrics[1].external.metric.name=5",
        "spec.metrics[1].external.metric.selector.matchLabels.app\\.kubernetes\\.io/name=true",
        "spec.metrics[1].external.target.type=AverageValue",
        "spec.metrics[1].external.target.averageValue=5",
    ];
    let flags: Vec<String> = external.iter().map(|it| format!("--set={it}")).collect();
    let flags = flags.iter().map(String::as_str);
    let mut arguments: Vec<&str> = std::iter::once("web").chain(flags).collect();
    arguments.push("-ojson");
    let (code, answered, complained) = folder.run(&arguments);
    assert_eq!(code, Some(0), "{complained}");
    let document: serde_json::Value = serde_json::from_str(&answered).expect("JSON");
    let patch = document["candidates"][0]["patch"]["patch"].as_str();
    let patch: serde_json::Value = serde_json::from_str(patch.expect("a patch")).expect("JSON");
    let metric = &patch["spec"]["metrics"][1]["external"];
    assert_eq!(metric["metric"]["name"], "5");
    let labels = &metric["metric"]["selector"]["matchLabels"];
    assert_eq!(labels["app.kubernetes.io/name"], "true");
    let warnings = document["warnings"].to_string();
    assert!(
        warnings.contains("uses 5, which the inputs do not have"),
        "{warnings}"
    );
}

#[test]
fn a_file_that_is_no_candidate_is_refused_with_its_place() {
    let folder = Folder::of("stuck-without-samples");
    let with = |from: &str, to: &str| WEB.replace(from, to);
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
    let rows = [
        (String::new(), "new.yaml: it is empty; it must have an HPA"),
        ("# nothing\n".to_owned(), "new.yaml: "),
        (
            deployment.to_owned(),
            "new.yaml: holds no HorizontalPodAutoscaler, but an object of kind Deployment",
        ),
        (
            format!("{WEB}---\n{WEB}"),
            "new.yaml:12:1: a second HPA named web; the first one is at line 1",
        ),
        (
            with("{name: web}\nspec", "{name: api}\nspec"),
            "new.yaml: contains no HPA shop/web, but api (line 1)",
        ),
        (
            with("{name: web}\nspec", "{name: web, namespace: other}\nspec"),
            "new.yaml: contains no HPA shop/web, but other/web (line 1)",
        ),
        (
            with("maxReplicas: 20", "maxReplicas: lots"),
            "new.yaml:7:16: spec.maxReplicas: must be a whole number",
        ),
        (
            with("maxReplicas: 20", "maxReplicas: 2"),
            "new.yaml:7:3: spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`",
        ),
        (
            with("maxReplicas: 20", "maxReplicas: 20\n  maxReplica: 2"),
            "new.yaml:8:3: spec.maxReplica: no such field; did you mean maxReplicas?",
        ),
        (
            with("kind: Deployment, name: web", "kind: Deployment, name: api"),
            "new.yaml: spec.scaleTargetRef: it is Deployment/api",
        ),
        (with("metrics:", "metrics: ["), "new.yaml:"),
        (
            with("maxReplicas: 20", "maxReplicas: {{ .Values.max }}"),
            "this is a Helm template, not YAML; render it first",
        ),
        (
            with("autoscaling/v2", "autoscaling/v2beta1"),
            "new.yaml:1:1: apiVersion: no matches for kind \"HorizontalPodAutoscaler\" in version \
             \"autoscaling/v2beta1\": Kubernetes 1.36 does not serve it, 1.24 was the last to do so",
        ),
    ];
    for (content, says) in &rows {
        folder.write("new.yaml", content);
        let (code, answered, complained) = folder.run(&["web", "-f", "new.yaml"]);
        assert_eq!(code, Some(1), "{content}: {answered}{complained}");
        assert_eq!(answered, "", "{content}");
        assert!(complained.contains(says), "want {says:?}\nin {complained}");
    }
    assert_eq!(rows.len(), 13);
    let (code, _, complained) = folder.run(&["web", "-f", "absent.yaml"]);
    assert_eq!(code, Some(1));
    assert!(
        complained.contains("absent.yaml: no such file"),
        "{complained}"
    );
    folder.write("new.yaml", WEB);
    let (code, answered, complained) = folder.run(&["web", "-f", "new.yaml"]);
    assert_eq!(code, Some(0), "{complained}");
    assert!(
        answered.contains("no difference; the spec is the same."),
        "{answered}"
    );
}

#[test]
fn one_wrong_candidate_stops_all() {
    let folder = Folder::of("stuck-without-samples");
    folder.write("good.yaml", WEB.replace("minReplicas: 3", "minReplicas: 4"));
    folder.write("bad.yaml", WEB.replace("minReplicas: 3", "minReplicas: 40"));
    let arguments = [
        "web",
        "-f",
        "good.yaml",
        "-f",
        "bad.yaml",
        "--set",
        "spec.minReplicas=5",
    ];
    let (code, answered, complained) = folder.run(&arguments);
    assert_eq!((code, answered.as_str()), (Some(1), ""));
    assert!(complained.contains("bad.yaml:7:3: "), "{complained}");
    assert!(!complained.contains("good.yaml"), "{complained}");
}

#[test]
fn a_new_hpa_runs_on_the_inputs_of_its_target() {
    let folder = Folder::of("stuck-without-samples");
    let fresh = WEB.replace("{name: web}\nspec", "{name: fresh}\nspec");
    folder.write("fresh.yaml", &fresh);
    let (code, answered, complained) = folder.run(&["fresh", "-f", "fresh.yaml", "-ojson"]);
    assert_eq!(code, Some(0), "{complained}");
    let document: serde_json::Value = serde_json::from_str(&answered).expect("JSON");
    assert!(document["current"].is_null());
    assert_eq!(document["name"], "fresh");
    let side = &document["candidates"][0];
    // The one that is there selects the same pods: neither of them scales.
    assert_eq!(side["trace"]["selector"]["rule"], "selector.ambiguous");
    assert!(side["patch"].is_null());
    let other = fresh.replace("name: web}\n  min", "name: else}\n  min");
    folder.write("fresh.yaml", &other);
    let (code, _, complained) = folder.run(&["fresh", "-f", "fresh.yaml"]);
    assert_eq!(code, Some(1));
    assert!(
        complained.contains("it is a new HPA for Deployment/else, and the snapshot has no inputs"),
        "{complained}"
    );
    let (code, _, complained) = folder.run(&["fresh", "--set", "spec.maxReplicas=3"]);
    assert_eq!(code, Some(1));
    assert!(
        complained.contains("\"fresh\" not found in in.yaml"),
        "{complained}"
    );
}

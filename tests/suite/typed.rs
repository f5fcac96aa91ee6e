//! What people type: each works, or is answered with the command that does.
//! And files of every kind, each where another kind belongs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::apiserver::ApiServer;
use crate::support::binary::{stderr, stdout};
use serde_json::Value;

/// What is typed, the exit code, and what must be in the answer. `POD` is a
/// pod of web; `_` in a time is a blank.
#[rustfmt::skip] // one row a line
const TYPED: [(&str, i32, &str); 327] = [
    // kubectl's habits.
    ("wbe", 1, "did you mean web?"),
    ("web,api", 2, "names stand apart: `kubectl hpa-explain web api`"),
    ("list web,,api,", 2, "names stand apart: `kubectl hpa-explain list web api`"),
    ("watch web,api", 2, "one name at a time: `kubectl hpa-explain watch web`"),
    ("web -o jsonpath={.spec.maxReplicas}", 2, "| jq -r '.trace.bounds.maxReplicas'"),
    ("dry-run web --set spec.target.cpu=50", 2, "such as spec.metrics[0].resource.target.averageUtilization"),
    ("dry-run web maxReplicas=20", 2, "did you mean --set spec.maxReplicas=20?"),
    ("dry-run web spec.minReplicas=3", 2, "did you mean --set spec.minReplicas=3?"),
    ("list --all-namespaces=true", 0, "NAMESPACE"),
    ("list --all-namespaces=false", 0, "VERDICT"),
    ("web --watch=false", 0, "shop/web  Deployment/web"),
    ("flaps web --since 5m", 2, "did you mean --for?"),
    ("simulate web", 2, "give --load spike"),
    ("watch web --snapshot snap.yaml", 2, "`kubectl hpa-explain --snapshot snap.yaml` explains the file"),
    ("flaps -f snap.yaml", 2, "`kubectl hpa-explain --snapshot snap.yaml` reads it"),
    ("web -namespace shop", 2, "did you mean --namespace?"),
    ("list --all-versions", 2, "`kubectl hpa-explain NAME` and `kubectl hpa-explain demo` have it"),
    ("dump web", 2, "`kubectl hpa-explain capture web --file FILE`"),
    ("dry-run web --set .spec.maxReplicas=20", 0, "maxReplicas"),
    ("dry-run web --set .spec.maxReplicas=20 --set spec.maxReplicas=21", 2, "--set gives spec.maxReplicas twice: 20 and 21"),
    ("dry-run web maxReplicas 20", 2, "did you mean --set spec.maxReplicas=20?"),
    ("hlep", 2, "did you mean help?"),
    ("fla", 2, "did you mean flaps?"),
    ("top pods", 2, "`kubectl hpa-explain NAME -v`"),
    ("-version", 2, "did you mean --version?"),
    ("list web -l app=web", 2, "cannot be used with"),
    // A file in place of a name, and one too many.
    ("dry-run -f web.yaml", 0, "read as kubectl hpa-explain dry-run web -f web.yaml"),
    ("--snapshot snap.yaml --snapshot snap.yaml", 2, "--snapshot is there twice"),
    ("simulate -f web.yaml --load rec.jsonl", 2, "rec.jsonl is a file: history:rec.jsonl"),
    ("simulate -f web.yaml --load load.csv", 2, "load.csv is a file: csv:load.csv"),
    // A code or the id of a rule behind the word explain opens its page.
    ("explain policy-limits", 0, "kubectl hpa-explain demo period-start"),
    ("explain", 0, "\nFindings\n  all-metrics-fail "),
    ("explain", 0, "\nRules of a pass\n  average.tolerated "),
    ("explain polcy-limits", 1, "`kubectl hpa-explain explain policy-limits` tells what that code means"),
    ("explain ScaleDownStabilized", 1, "not a finding\nhint: `kubectl hpa-explain NAME` explains why an HPA has it"),
    ("explain ScalingLimited", 1, "ScalingLimited is a condition, not a finding\nhint: `kubectl hpa-explain NAME` explains why"),
    ("explain AmbiguousSelector", 1, "hint: did you mean ambiguous-selector? `kubectl hpa-explain NAME` explains"),
    ("explain scalinglimited", 1, "ScalingLimited is a condition, not a finding"),
    ("explain abletoscale", 1, "AbleToScale is a condition, not a finding"),
    ("explain failedgetresourcemetric", 1, "FailedGetResourceMetric is the reason of a condition, not a finding"),
    ("explain SuccessfulRescale", 1, "SuccessfulRescale is the reason of an event, not a finding\nhint: `kubectl hpa-explain NAME` explains why"),
    ("explain failedrescale -n shop", 1, "FailedRescale is the reason of an event, not a finding"),
    ("explain nosuchcode", 1, "; `kubectl hpa-explain explain` lists all codes"),
    ("explain selector.ambiguous", 0, "several HPAs select the same pods"),
    ("explain unknown-field", 0, "If an HPA has this name: kubectl hpa-explain hpa/unknown-field"),
    ("explain POLICY-LIMITS", 0, "kubectl hpa-explain demo period-start"),
    ("explain policy-limits -n shop", 0, "a code opens its page, and needs no HPA"),
    ("explain policy-limits -v --kubeconfig /nowhere --snapshot web.json", 0, "If an HPA has this name: kubectl hpa-explain hpa/policy-limits"),
    ("explain demo", 2, "demo is a command and no HPA"),
    ("explain hpa/policy-limits", 1, "horizontalpodautoscalers.autoscaling \"policy-limits\" not found"),
    ("demo -A", 2, "`kubectl hpa-explain demo --list` lists them"),
    ("rbac -o yaml", 2, "without it, it prints YAML"),
    ("dry-run web --dry-run=client -f web.yaml", 2, "leave it out: nothing is changed"),
    ("version --client", 2, "leave it out: no cluster is asked"),
    ("demo at-max -o jsonpath={.verdict}", 2, "demo at-max -o json | jq -r '.verdict'"),
    ("web -o JSON", 0, "\"word\":\"at-max\""),
    // Words before a name.
    ("web", 0, "shop/web  Deployment/web"),
    ("get web", 0, "note: `get` is skipped; an HPA called get is hpa/get"),
    ("get hpa web", 0, "note: `get hpa` is skipped"),
    ("describe hpa web", 0, "shop/web  Deployment/web"),
    ("explain web", 0, "note: `explain` is skipped"),
    ("why web", 0, "note: `why` is skipped"),
    ("hpa web", 0, "note: `hpa` is skipped; an HPA called hpa is hpa/hpa"),
    ("get hpa web -o wide", 0, "shop/web  Deployment/web"),
    ("get hpa", 0, "note: `get hpa` lists: read as kubectl hpa-explain list"),
    ("get pods", 2, "`kubectl get pods` does that, and `kubectl hpa-explain list` lists HPAs"),
    ("get all", 2, "for an HPA named all, write hpa/all"),
    ("get deployments", 2, "`kubectl get deployments` does that"),
    ("auth can-i get hpa", 2, "`kubectl hpa-explain rbac`; for an HPA named auth, write hpa/auth"),
    ("upgrade to 1.38", 2, "`kubectl hpa-explain list --compare-version VERSION`"),
    ("get hpa -A", 0, "NAMESPACE"),
    ("get hpa -l app=web", 0, "read as kubectl hpa-explain list -l app=web"),
    ("get", 0, "VERDICT"),
    ("hpa/web", 0, "shop/web  Deployment/web"),
    ("hpa/get", 1, "horizontalpodautoscalers.autoscaling \"get\" not found"),
    ("hpa/list", 1, "horizontalpodautoscalers.autoscaling \"list\" not found"),
    ("horizontalpodautoscaler/web", 0, "shop/web  Deployment/web"),
    ("horizontalpodautoscalers web", 0, "note: `horizontalpodautoscalers` is skipped"),
    ("hpa.v2.autoscaling/web", 0, "shop/web  Deployment/web"),
    ("HPA/web", 0, "shop/web  Deployment/web"),
    ("get hpas web", 0, "note: `get hpas` is skipped"),
    ("gte hpa web", 0, "note: `gte hpa` is skipped"),
    ("explian web", 0, "note: `explian` is skipped; an HPA called explian is hpa/explian"),
    ("descirbe web", 0, "note: `descirbe` is skipped"),
    ("show web", 0, "note: `show` is skipped"),
    ("status web", 0, "note: `status` is skipped"),
    ("status", 2, "`kubectl hpa-explain NAME` shows it; for an HPA named status, write hpa/status"),
    ("shop/web", 1, "web of namespace shop is `kubectl hpa-explain web -n shop`"),
    // Targets and pods.
    ("deploy web", 0, "note: read as deploy/web; an HPA called deploy is hpa/deploy"),
    ("deploy/web", 0, "shop/web  Deployment/web"),
    ("deployment/web", 0, "shop/web  Deployment/web"),
    ("deployments.apps/web", 0, "shop/web  Deployment/web"),
    ("sts/db", 0, "shop/db  StatefulSet/db"),
    ("statefulset db", 0, "note: read as statefulset/db"),
    ("get deploy web", 0, "shop/web  Deployment/web"),
    ("Deployment/there", 1, "no HPA in namespace shop points to Deployment/there"),
    ("hpa/there", 1, "horizontalpodautoscalers.autoscaling \"there\" not found"),
    ("pod/POD", 0, "shop/web  Deployment/web"),
    ("pod POD", 0, "shop/web  Deployment/web"),
    ("po/POD -o name", 0, "horizontalpodautoscaler.autoscaling/web"),
    ("pod/nosuch", 1, "pods \"nosuch\" not found"),
    ("capture pod/POD -o yaml", 0, "kind: Snapshot"),
    ("deploy/nosuch", 1, "no HPA in namespace shop points to deploy/nosuch"),
    // Lists.
    ("ls", 0, "VERDICT"),
    ("list web", 0, "web"),
    ("list hpa web", 0, "note: `hpa` is skipped"),
    ("list deploy/web", 0, "web"),
    ("list nosuch", 1, "no HPA here is nosuch"),
    ("record web", 2, "--prometheus [<URL>]"),
    ("validate -f hpa.yaml", 2, "`kubectl hpa-explain lint hpa.yaml`"),
    ("web --no-color", 2, "did you mean --color never?"),
    ("list -a", 2, "did you mean -A?"),
    ("list -A", 0, "NAMESPACE"),
    ("-A", 0, "NAMESPACE"),
    ("--all-namespaces", 0, "NAMESPACE"),
    ("-A web", 0, "note: -A lists: read as kubectl hpa-explain list -A web"),
    ("web -l app=web", 2, "-l cannot be used with names\nhint: `kubectl hpa-explain list -l app=web`"),
    ("-l app=web", 0, "note: -l lists: read as kubectl hpa-explain list -l app=web"),
    ("--selector app=web", 0, "read as kubectl hpa-explain list --selector app=web"),
    ("--selector=app=web", 0, "read as kubectl hpa-explain list --selector=app=web"),
    ("--problems", 0, "read as kubectl hpa-explain list --problems"),
    ("-n shop list", 0, "VERDICT"),
    ("-n shop -o name list", 0, "horizontalpodautoscaler.autoscaling/web"),
    ("lsit", 2, "kubectl hpa-explain list"),
    ("lst -A", 2, "lst is not a command; did you mean list?"),
    ("LIST", 2, "`kubectl hpa-explain list`; for an HPA named LIST, write hpa/LIST"),
    ("test", 1, "horizontalpodautoscalers.autoscaling \"test\" not found"),
    // Watching.
    ("watch web --for=1s", 0, "0 missed"),
    ("web -w --for=1s", 0, "note: -w is a command of its own: read as kubectl hpa-explain watch web"),
    ("web --watch --for 1s", 0, "note: --watch is a command of its own: read as kubectl hpa-explain watch web --for 1s"),
    ("list web -w --for=1s", 0, "read as kubectl hpa-explain watch web"),
    ("get hpa web -w --for=1s", 0, "read as kubectl hpa-explain watch web"),
    ("list -w", 2, "watch follows one HPA: kubectl hpa-explain watch NAME"),
    ("-w", 2, "watch follows one HPA: kubectl hpa-explain watch NAME"),
    ("whatch web", 2, "kubectl hpa-explain watch web"),
    // Manifests.
    ("lint hpa.yaml", 0, "shop/checkout: accepted"),
    ("lint -f hpa.yaml", 0, "shop/checkout: accepted"),
    ("lint hpa.yaml -f hpa.yaml", 0, "shop/checkout: accepted"),
    ("lint deploy hpa.yaml", 0, "shop/checkout: accepted"),
    ("lint", 2, "for example: `kubectl hpa-explain lint hpa.yaml`"),
    ("simulate", 2, "for example: `kubectl hpa-explain simulate web -n shop --load spike`"),
    ("tune --nodes", 2, "for example: `kubectl hpa-explain tune web -n shop --prometheus http://localhost:9090 --for 7d`"),
    ("--nodes", 2, "for example: `kubectl hpa-explain web -n shop --nodes`"),
    ("web --until 3:00", 2, "for example: `kubectl hpa-explain web --history web.jsonl --since 03:00 --until 03:30`"),
    ("lint -f https://x/hpa.yaml", 1, "`curl -fsSL https://x/hpa.yaml | kubectl hpa-explain lint -` reads a URL"),
    ("-f hpa.yaml", 2, "`kubectl hpa-explain lint -f hpa.yaml` checks it"),
    ("web -f hpa.yaml", 2, "`kubectl hpa-explain dry-run web -f hpa.yaml` shows what it would change"),
    ("hpa.yaml", 2, "hpa.yaml is a file"),
    ("web -f nosuch.yaml", 2, "`kubectl hpa-explain dry-run web -f nosuch.yaml` shows what it would change"),
    ("-f block.yaml", 2, "`kubectl hpa-explain dry-run checkout -f block.yaml` shows what it would change"),
    ("diff web -f hpa.yaml", 2, "`kubectl hpa-explain dry-run web -f hpa.yaml` shows what it would change"),
    ("apply -f block.yaml", 2, "`kubectl hpa-explain dry-run checkout -f block.yaml` shows what it would change"),
    ("apply -f nosuch.yaml", 2, "`kubectl hpa-explain dry-run NAME -f nosuch.yaml` shows what it would change"),
    ("-f snap.yaml", 2, "`kubectl hpa-explain --snapshot snap.yaml` reads it"),
    ("snap.yaml", 2, "`kubectl hpa-explain --snapshot snap.yaml` reads it"),
    ("rec.jsonl", 2, "`kubectl hpa-explain --history rec.jsonl --at -0s` reads it"),
    ("dry-run hpa.yaml", 2, "`kubectl hpa-explain dry-run checkout -f hpa.yaml` shows what it would change"),
    ("simulate hpa.yaml", 2, "`kubectl hpa-explain simulate -f hpa.yaml --load spike` runs load against it"),
    ("list hpa.yaml", 2, "`kubectl hpa-explain lint -f hpa.yaml` checks it"),
    ("watch hpa.yaml", 2, "`kubectl hpa-explain lint -f hpa.yaml` checks it"),
    ("a$b.yaml", 2, "`kubectl hpa-explain lint -f 'a$b.yaml'` checks it"),
    ("lint --file hpa.yaml", 2, "`kubectl hpa-explain lint` has no flag --file\nhint: did you mean -f?"),
    ("lint web", 1, "`kubectl get hpa web -o yaml | kubectl hpa-explain lint -f -` checks the HPA"),
    ("capture web -f w.yaml", 2, "did you mean --file?"),
    ("demo window-band --at -5m", 2, "`kubectl hpa-explain --history FILE --at -5m` explains a moment of a record"),
    ("lints hpa.yaml", 2, "kubectl hpa-explain lint hpa.yaml"),
    ("dryrun web -f hpa.yaml", 2, "kubectl hpa-explain dry-run web -f hpa.yaml"),
    ("dry_run web -f hpa.yaml", 2, "kubectl hpa-explain dry-run web -f hpa.yaml"),
    ("web --dry-run", 2, "dry-run is a command: `kubectl hpa-explain dry-run -h`"),
    ("web --set spec.maxReplicas=9", 2, "`kubectl hpa-explain dry-run` and `kubectl hpa-explain simulate` have it"),
    ("simulte web --load spike", 2, "kubectl hpa-explain simulate web --load spike"),
    ("web --load spike", 2, "`kubectl hpa-explain simulate` has it"),
    // Detail and formats.
    ("web -v=4", 0, "exactly: total"),
    ("web -v 4", 0, "exactly: total"),
    ("web -v4", 0, "exactly: total"),
    ("web --v=2", 0, "exactly: total"),
    ("web -v=0", 0, "shop/web  Deployment/web"),
    ("web -v=high", 2, "-v takes a number, such as -v=2"),
    ("web -v=0 -v=3", 0, "exactly: total"),
    ("web --verbose 3", 0, "exactly: total"),
    ("web -v 2 3", 1, "horizontalpodautoscalers.autoscaling \"3\" not found"),
    ("web --output=json", 0, "{\"apiVersion\""),
    ("web -ojson", 0, "{\"apiVersion\""),
    ("web -oyaml", 0, "kind: Explanation"),
    ("web -o name", 0, "horizontalpodautoscaler.autoscaling/web"),
    ("web -o jsonpath={.verdict}", 2, "kubectl hpa-explain web -o json | jq -r '.verdict'"),
    ("get hpa web -o custom-columns=A:.name,B:.namespace", 2, "kubectl hpa-explain web -o json | jq -r '[.name, .namespace] | @tsv'"),
    ("web --output=go-template={{.name}}", 2, "kubectl hpa-explain web -o json | jq -r '.name'"),
    ("list -o custom-columns=NAME:.name", 2, "use: kubectl hpa-explain list -o json | jq -r '.items[] | .name'"),
    ("get hpa -o jsonpath={.items[*].metadata.name}", 2, "use: kubectl hpa-explain list -o json | jq -r '.items[] | .name'"),
    ("web -o jsonpath={.status.currentMetrics}", 2, "jq .\nhint: the document has other fields than the HPA object"),
    ("list -l app!=web -o jsonpath={.items[*].name}", 2, "list -l 'app!=web' -o json | jq"),
    ("web --all-versions -o jsonpath={.verdict}", 2, "-o json | jq ."),
    ("web -o jsonpath-file=x", 2, "-o jsonpath-file is not available"),
    ("web --json", 2, "did you mean -o json?"),
    ("web -o table", 2, "possible values: text, wide, json"),
    ("capture web -o web.yaml", 2, "--file web.yaml writes a file"),
    ("capture web -o -", 2, "-o yaml and -o json print"),
    ("capture web -o json", 0, "\"kind\":\"Snapshot\""),
    ("capture web", 2, "give --file FILE, such as --file web.yaml; -o yaml prints instead"),
    // Values.
    ("web --tolerance 10%", 0, "What-if: tolerance 0.1"),
    ("web --tolerance 10", 2, "10 is 1000%; 10% is --tolerance 0.1"),
    ("web --ns shop", 2, "did you mean --namespace?"),
    ("web --tolerance ten", 2, "must be a fraction such as 0.1, or 10%"),
    ("web --feature-gates HPAScaletoZero=true", 2, "did you mean HPAScaleToZero?"),
    ("web --feature-gates Sorcery=true", 2, "the gates that matter here are HPAScaleToZero,"),
    ("web --context", 2, "a value is required for '--context <NAME>'"),
    ("web --naemspace shop", 2, "did you mean --namespace?"),
    ("web -x", 2, "`kubectl hpa-explain --help` lists all flags"),
    // Help.
    ("help", 0, "Usage: kubectl hpa-explain"),
    ("help lint", 0, "Usage: kubectl hpa-explain lint"),
    ("--version", 0, "kubectl-hpa-explain v"),
    ("version -w", 2, "`kubectl hpa-explain version` has no flag -w"),
    ("completions bash", 2, "kubectl hpa-explain completion bash"),
    ("completion -w", 2, "Usage: kubectl hpa-explain completion"),
    ("completion sh", 2, "sh is not a shell here\nhint: there are these: bash, zsh, fish, powershell, install"),
    ("help -h", 0, "Usage: kubectl hpa-explain"),
    ("help list -h", 0, "Usage: kubectl hpa-explain list"),
    ("help lst", 2, "lst is not a command\nhint: `kubectl hpa-explain help list`"),
    ("help hpa", 2, "`kubectl hpa-explain --help` has all commands"),
    ("list help", 0, "Usage: kubectl hpa-explain list"),
    ("dry-run help", 0, "Usage: kubectl hpa-explain dry-run"),
    ("version -o wide", 2, "possible values: text, json, yaml"),
    ("demo list", 0, "slowed-by-policy  "),
    ("demo ls", 0, "slowed-by-policy  "),
    // The past.
    ("--history real.jsonl --kubeconfig nosuch", 1, "without a cluster: kubectl hpa-explain --history real.jsonl --kubeconfig nosuch --at -0s"),
    ("flaps web --history real.jsonl --kubeconfig nosuch", 1, "without a cluster: kubectl hpa-explain flaps web --history real.jsonl --kubeconfig nosuch --at -0s"),
    ("--history snap.yaml --kubeconfig nosuch", 1, "snap.yaml is a snapshot, not a record\nhint: `kubectl hpa-explain --snapshot snap.yaml` reads it"),
    ("flaps --history snap.yaml", 1, "`kubectl hpa-explain --snapshot snap.yaml` reads it"),
    ("--history real.jsonl --at 09:29", 0, "shop/web  Deployment/web"),
    ("--history real.jsonl --at now", 0, "shop/web  Deployment/web"),
    ("--history real.jsonl --at 2026-11-20_09:29:00_UTC", 0, "shop/web  Deployment/web"),
    ("--history real.jsonl --at 2026-11-20_09:29", 0, "shop/web  Deployment/web"),
    ("--history real.jsonl --at 5m", 2, "did you mean -5m?"),
    ("--history real.jsonl --at 1h", 2, "did you mean -1h?"),
    ("--history real.jsonl --at 25:00", 2, "must be a time such as 03:00 or 2026-11-20T08:30:00Z"),
    ("--history real.jsonl --since 09:29 --until 2026-11-20_09:28", 0, "note: --since is read as 2026-11-19T09:29:00Z, the last such time before 2026"),
    ("--history real.jsonl --since 09:24 --until 09:25", 0, "until 09:25:00\nfrom 2026-11-20 09:24:00 UTC"),
    ("--history real.jsonl --since 09:24 --until 10:00", 0, "note: --until is read as 2026-11-20T09:29:45Z: nothing is known after it"),
    ("--history real.jsonl --since 00:00 --until 00:00", 0, "from 2026-11-20 00:00:00 UTC"),
    ("--history real.jsonl --since 2026-11-20_09:24 --until 09:25", 0, "from 2026-11-20 09:24:00 UTC"),
    ("watch --history real.jsonl", 2, "`kubectl hpa-explain --history real.jsonl --at -0s` explains the end of a record"),
    // Another spec.
    ("dry-run web", 2, "give -f FILE or --set PATH=VALUE"),
    ("web --for 15m", 2, "`kubectl hpa-explain dry-run web --set spec.maxReplicas=20 --for 15m` runs a change for a time"),
    ("dry-run web --set spec.maxReplicas 20", 2, "did you mean --set spec.maxReplicas=20?"),
    ("web --since 1h", 2, "--at, --since and --for need --history or --prometheus"),
    ("dry-run web --max=40", 2, "did you mean --set spec.maxReplicas=40?"),
    ("dry-run web --set spec.maxReplicas=9 --max 40", 2, "did you mean --set spec.maxReplicas=40?"),
    ("dry-run web --set spec.maxReplicas = 20", 2, "did you mean --set spec.maxReplicas=20?"),
    ("dry-run web --set spec.maxReplicas =20", 2, "did you mean --set spec.maxReplicas=20?"),
    ("dry-run web --set spec.maxReplicas=20,spec.minReplicas=3", 2, "give each its own flag: --set spec.maxReplicas=20 --set spec.minReplicas=3"),
    ("dry-run web --patch {}", 2, "did you mean --set PATH=VALUE?"),
    ("flaps web --last 1h", 2, "did you mean --for?"),
    ("lint -k overlays/prod", 2, "`kubectl kustomize overlays/prod | kubectl hpa-explain lint -` reads"),
    ("dry-run web --set maxReplica=20", 2, "did you mean spec.maxReplicas=20?"),
    ("dry-run web --set max=20", 2, "did you mean spec.maxReplicas=20?"),
    ("dry-run web --set averageUtilization=70", 2, "did you mean 'spec.metrics[0].resource.target.averageUtilization=70'?"),
    ("dry-run web --set target.averageUtilization=70", 2, "did you mean 'spec.metrics[0].resource.target.averageUtilization=70'?"),
    ("dry-run web --set spec.averageUtilization=70", 1, "did you mean spec.metrics[0].resource.target.averageUtilization?"),
    ("dry-run web averageUtilization=70", 2, "did you mean --set 'spec.metrics[0].resource.target.averageUtilization=70'?"),
    ("dry-run web --set scaleDown.stabilizationWindowSeconds=60", 2, "did you mean spec.behavior.scaleDown.stabilizationWindowSeconds=60?"),
    ("dry-run web --set target.cpu=70", 2, "such as spec.metrics[0].resource.target.averageUtilization"),
    ("dry-run web --set cpu=70", 2, "such as spec.metrics[0].resource.target.averageUtilization"),
    ("dry-run web --set nosuch=70", 2, "`nosuch` is not a field of spec; give PATH=VALUE, such as spec.maxReplicas=20"),
    ("dry-run web --set /spec/metrics/0/external/metric/selector/matchLabels/a.b~1c=d", 2, "did you mean 'spec.metrics[0].external.metric.selector.matchLabels.a\\.b/c=d'?"),
    ("dry-run web --set metrics[0].external.metric.selector.matchLabels.a\\.b/c=d", 2, "did you mean 'spec.metrics[0].external.metric.selector.matchLabels.a\\.b/c=d'?"),
    ("dry-run web --set maxReplicas=", 2, "has no value; null removes a field"),
    ("dry-run web --set spec.metrics[+0].type=Pods", 2, "[+0] in \"spec.metrics[+0].type\" is not a list index"),
    ("dry-run web --set spec.behavior.scaleUp.selectPolicy=Min --set spec.behavior=null", 2, "--set spec.behavior=null replaces --set spec.behavior.scaleUp.selectPolicy=Min before it"),
    ("dry-run web --set /spec/maxReplicas=3", 2, "did you mean spec.maxReplicas=3?"),
    ("dry-run web --set /spec/metrics/0/type=Pods", 2, "did you mean 'spec.metrics[0].type=Pods'?"),
    ("dry-run web --set maxReplicas : 20", 2, "did you mean --set spec.maxReplicas=20?"),
    ("dry-run web --set maxReplicas: 20", 2, "did you mean --set spec.maxReplicas=20?"),
    ("dry-run --set maxReplicas:20 web", 2, "did you mean spec.maxReplicas=20?"),
    ("dry-run web --set maxReplicas=3,minReplicas=2", 2, "give each its own flag: --set spec.maxReplicas=3 --set spec.minReplicas=2"),
    ("dry-run web --set metric[0].resource.target.averageUtilisation=5", 2, "did you mean 'spec.metrics[0].resource.target.averageUtilization=5'?"),
    ("simulate web --load spike --min 3", 2, "did you mean --set spec.minReplicas=3?"),
    ("simulate web --load spikes", 2, "unknown load spikes; did you mean spike?"),
    ("simulate web --load spike:bases=1", 2, "unknown part bases; did you mean base?"),
    ("tune web --history real.jsonl --price cpu-hor=1", 2, "did you mean cpu-hour?"),
    ("dry-run web --set spec.maxReplicas=1", 1, "spec.minReplicas is 2; --set spec.minReplicas=1 lowers it as well"),
    ("dry-run web --set spec.metrics.cpu=50", 1, "cpu is spec.metrics[0].resource.target.averageUtilization"),
    ("dry-run web --set spec.maxReplicas=9 --metric cpu=90", 0, "--metric cpu=90 is 90 cores a pod"),
    ("dry-run web -f snap.yaml", 1, "`kubectl hpa-explain --snapshot snap.yaml` reads it"),
    ("lint snap.yaml", 1, "`kubectl hpa-explain --snapshot snap.yaml` reads it"),
    // What is done elsewhere.
    ("autoscale web", 2, "`kubectl hpa-explain dry-run web --set spec.maxReplicas=20` tries a change"),
    ("autoscale deployment web --max 10", 2, "`kubectl autoscale` makes an HPA"),
    ("annotate hpa web a=b", 2, "`kubectl annotate hpa"),
    ("label hpa web a=b", 2, "`kubectl label hpa"),
    ("set web", 2, "`kubectl hpa-explain dry-run web --set spec.maxReplicas=20` tries a change"),
    ("rollout status deploy/web", 2, "`kubectl rollout status` follows a rollout"),
    ("wait web", 2, "`kubectl hpa-explain watch web` follows its passes"),
    ("history web", 2, "`kubectl hpa-explain flaps web`"),
    ("flapping web", 2, "`kubectl hpa-explain flaps web`"),
    ("follow web", 2, "`kubectl hpa-explain watch web`"),
    ("save web", 2, "`kubectl hpa-explain capture web --file FILE`"),
    ("audit -f hpa.yaml", 2, "`kubectl hpa-explain lint hpa.yaml`"),
    ("web --max-replicas 20", 2, "`kubectl hpa-explain dry-run web --set spec.maxReplicas=20` tries it"),
    ("web --max=20 -n shop", 2, "`kubectl hpa-explain dry-run web -n shop --set spec.maxReplicas=20` tries it"),
    ("web --min 2", 2, "`kubectl hpa-explain dry-run web --set spec.minReplicas=2` tries it"),
    ("web --cpu-percent 50", 2, "--set spec.metrics[0].resource.target.averageUtilization=50` tries it"),
    ("web --debug", 2, "did you mean -v?"),
    ("web --format json", 2, "did you mean -o?"),
    ("list --sort name", 2, "did you mean --sort-by?"),
    ("list --label app=web", 2, "did you mean -l?"),
    ("web --timeout 5s", 2, "did you mean --request-timeout?"),
    ("web --follow --for=1s", 0, "note: --follow is a command of its own: read as kubectl hpa-explain watch web"),
    ("demo --compare-version 1.38", 2, "did you mean --all-versions?"),
    ("lint hpa web", 1, "`kubectl get hpa web -o yaml | kubectl hpa-explain lint -f -` checks the HPA"),
    ("lint hpa/web", 1, "`kubectl get hpa web -o yaml | kubectl hpa-explain lint -f -` checks the HPA"),
    ("help -h", 0, "Usage: kubectl hpa-explain"),
    ("help list -h", 0, "Usage: kubectl hpa-explain list"),
    ("list --compare-version 1.36", 0, "`kubectl hpa-explain NAME --all-versions` shows what each release decides"),
    ("scale deploy/web --replicas=5", 2, "the HPA overrides what `kubectl scale` sets; `kubectl hpa-explain dry-run deploy/web --set spec.minReplicas=5` tries a bound"),
    ("edit hpa web", 2, "`kubectl edit hpa web` changes it"),
    ("edit hpa/web -n shop", 2, "`kubectl edit hpa web -n shop` changes it"),
    ("patch deploy web", 2, "`kubectl patch hpa NAME` changes it"),
    ("delete hpa web -n shop", 2, "`kubectl delete hpa web -n shop` deletes it"),
    ("logs web", 2, "`kubectl hpa-explain watch web` follows the passes of an HPA"),
    ("top", 2, "top is not a command\nhint: `kubectl hpa-explain NAME -v` shows what each pod uses"),
    ("diff", 2, "`kubectl hpa-explain dry-run NAME -f FILE` shows what it would change"),
    ("events", 2, "`kubectl events --for hpa/NAME` lists them; for an HPA named events, write hpa/events"),
    ("hpa/top", 1, "horizontalpodautoscalers.autoscaling \"top\" not found"),
    ("web.shop", 1, "web of namespace shop is `kubectl hpa-explain web -n shop`"),
    ("capture web -o snapshot", 2, "-o yaml and -o json print; --file FILE writes a file"),
    ("rbac dry-run", 0, "kind: Role"),
    ("rbac web", 2, "rbac has no role for web, but for explain, dry-run, simulate, record, list, flaps, tune, watch"),
];

fn run(directory: &Path, kubeconfig: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .env("KUBECONFIG", kubeconfig)
        .env("TZ", "UTC")
        .output()
        .expect("the binary runs")
}

const MANIFEST: &str = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: checkout, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  minReplicas: 2
  maxReplicas: 10
";

#[test]
fn what_people_type_leads_somewhere() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    fs::write(directory.path().join("hpa.yaml"), MANIFEST).expect("writable");
    let write = |name: &str, text: &[u8]| {
        fs::write(directory.path().join(name), text).expect("writable");
    };
    write("a$b.yaml", MANIFEST.as_bytes());
    let block = MANIFEST.replace("{name: checkout, namespace: shop}", "\n  name: checkout");
    write(
        "block.yaml",
        block.replace("metadata: \n", "metadata:\n").as_bytes(),
    );
    let web = block
        .replace("metadata: \n", "metadata:\n")
        .replace("checkout", "web");
    write("web.yaml", web.as_bytes());
    write("snap.yaml", b"kind: Snapshot\n");
    let record = "tests/flaps/noise-record/record.jsonl";
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join(record);
    write("real.jsonl", &fs::read(record).expect("a record"));
    write("rec.jsonl", b"{\"kind\":\"Record\"}\n");
    // Folders that are called as kinds are.
    for (folder, file) in [
        ("Deployment", "there"),
        ("hpa", "there"),
        ("deploy", "x.yaml"),
    ] {
        let folder = directory.path().join(folder);
        fs::create_dir(&folder).expect("writable");
        fs::write(folder.join(file), MANIFEST).expect("writable");
    }
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let web = run(directory.path(), &kubeconfig, &["web", "-o", "snapshot"]);
    let web: Value = serde_yaml::from_slice(&web.stdout).expect("YAML");
    let pod = web["pods"][0]["metadata"]["name"].as_str().expect("a pod");
    let mut wrong = Vec::new();
    for (typed, code, answer) in TYPED {
        let line = typed.replace("POD", pod);
        let words: Vec<String> = line
            .split(' ')
            .map(|word| match word.strip_prefix("2026-") {
                Some(_) => word.replace('_', " "),
                None => word.to_owned(),
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = run(directory.path(), &kubeconfig, &words);
        let all = format!("{}{}", stdout(&output), stderr(&output));
        let is_right = all.contains(answer)
            && output.status.code() == Some(code)
            && !all.contains("as a value, use");
        if !is_right {
            let start: String = all.chars().take(600).collect();
            wrong.push(format!("{typed}: {:?}: {start}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(TYPED.len(), 327);
}

/// The snapshot knows no more than a pod's owner, and its name what that is of.
#[test]
fn a_pod_of_a_snapshot_stands_for_its_hpa() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    let nowhere = Path::new("/nowhere");
    let demo = run(
        directory.path(),
        nowhere,
        &["demo", "foreign-pod-without-request", "-o", "snapshot"],
    );
    fs::write(directory.path().join("web.yaml"), &demo.stdout).expect("writable");
    let snapshot: Value = serde_yaml::from_slice(&demo.stdout).expect("YAML");
    let hpa = &snapshot["horizontalPodAutoscaler"]["metadata"];
    let own = format!(
        "{}/{}",
        hpa["namespace"].as_str().expect("a name"),
        hpa["name"].as_str().expect("a name")
    );
    let mut codes = Vec::new();
    for pod in snapshot["pods"].as_array().expect("pods") {
        let pod = format!("pod/{}", pod["metadata"]["name"].as_str().expect("a name"));
        let output = run(directory.path(), nowhere, &[&pod, "--snapshot", "web.yaml"]);
        if output.status.success() {
            assert!(
                stdout(&output).starts_with(&own),
                "{pod}: {}",
                stdout(&output)
            );
        } else {
            let text = format!("no HPA in web.yaml points to {pod}");
            assert!(stderr(&output).contains(&text), "{}", stderr(&output));
        }
        codes.push(output.status.code());
    }
    assert!(
        codes.contains(&Some(0)) && codes.contains(&Some(1)),
        "{codes:?}"
    );
}

/// Where each flag takes a file.
const PLACES: [(&str, &str); 8] = [
    ("--snapshot", "--snapshot FILE"),
    ("--history", "--snapshot snapshot --history FILE"),
    (
        "--controller-log",
        "--snapshot snapshot --controller-log FILE",
    ),
    ("-f", "lint -f FILE"),
    ("-f", "dry-run checkout --snapshot snapshot -f FILE"),
    ("--scenario", "simulate --scenario FILE"),
    ("csv:", "simulate --snapshot snapshot --load csv:FILE"),
    (
        "--history",
        "simulate --snapshot snapshot --load history:FILE",
    ),
];

/// A file of each kind: what it is called in the line that refuses it, and the
/// flag that the hint names.
const FILES: [(&str, &str, &str); 7] = [
    (
        "snapshot",
        " is a snapshot",
        "`kubectl hpa-explain --snapshot snapshot` reads it",
    ),
    (
        "record",
        " is a record",
        "`kubectl hpa-explain --history record --at -0s` reads it",
    ),
    (
        "log",
        " is the log of a kube-controller-manager",
        "--controller-log log reads it, together with --snapshot or --history",
    ),
    (
        "manifest",
        " is a manifest",
        "`kubectl hpa-explain lint -f manifest` checks it; `kubectl hpa-explain dry-run checkout \
         -f manifest` shows what it would change",
    ),
    (
        "scenario",
        " is a scenario",
        "`kubectl hpa-explain simulate --scenario scenario` runs it",
    ),
    (
        "load",
        " is a load file",
        "`kubectl hpa-explain simulate NAME --load csv:load` replays it",
    ),
    (
        "archive",
        ": this is compressed with gzip, not UTF-8 text",
        "`gunzip -c FILE > PLAIN` unpacks it; give PLAIN",
    ),
];

#[test]
fn a_file_of_the_wrong_kind_is_named_in_a_line() {
    let directory = tempfile::tempdir().expect("a scratch directory");
    let nowhere = Path::new("/nowhere");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let demo = run(
        directory.path(),
        nowhere,
        &["demo", "slowed-by-policy", "-o", "snapshot"],
    );
    let write = |name: &str, content: &[u8]| {
        fs::write(directory.path().join(name), content).expect("writable");
    };
    let copy = |name: &str, of: &str| write(name, &fs::read(tests.join(of)).expect(of));
    write("snapshot", &demo.stdout);
    copy("record", "flaps/noise-record/record.jsonl");
    copy("log", "flaps/window-log/controller.log");
    write("manifest", MANIFEST.as_bytes());
    write(
        "scenario",
        b"initialReplicas: 2\nstepSeconds: 15\ndemand: [1]\nhorizontalPodAutoscaler: {}\n",
    );
    write("load", b"0s,2\n15s,2.5\n");
    copy("archive", "recordings/cooling.jsonl.gz");
    write(
        "secret",
        b"apiVersion: v1\nkind: Secret\nstringData: {password: hunter2}\n",
    );
    let mut refused = 0;
    for (flag, place) in PLACES {
        for (file, noun, way) in FILES.into_iter().chain([("secret", "", "")]) {
            let line = place.replace("FILE", file);
            let words: Vec<&str> = line.split(' ').collect();
            let output = run(directory.path(), nowhere, &words);
            let text = stderr(&output);
            assert!(!text.contains("hunter2"), "{line}: {text}");
            if way.contains(&format!("{flag} {file}"))
                || way.contains("csv:") && flag == "csv:"
                || file == "secret"
            {
                assert!(!text.contains("panicked"), "{line}: {text}");
                assert!(text.lines().count() <= 2, "{line}: {text}");
                continue;
            }
            assert_eq!(output.status.code(), Some(1), "{line}: {text}");
            assert!(
                text.starts_with(&format!("error: {file}{noun}")),
                "{line}: {text}"
            );
            assert!(text.contains(way), "{line}: {text}");
            assert_eq!(text.lines().count(), 2, "{line}: {text}");
            assert_eq!(stdout(&output), "", "{line}");
            refused += 1;
        }
    }
    assert_eq!(refused, 48);
}

/// `-h` of the plugin and of each command: examples first, on one screen.
/// `--help` has all of it, the groups of flags under one heading each.
#[test]
fn help_is_short_or_complete() {
    let commands = [
        "",
        "list",
        "lint",
        "dry-run",
        "simulate",
        "flaps",
        "rbac",
        "demo",
        "capture",
        "watch",
        "completion",
        "version",
    ];
    let nowhere = Path::new("/nowhere");
    let mut of_clusters = 0;
    for command in commands {
        let help = |flag: &str, columns: &str| {
            let output = Command::new(env!("CARGO_BIN_EXE_kubectl-hpa_explain"))
                .args([command, flag].iter().filter(|it| !it.is_empty()))
                .env_clear()
                .env("KUBECONFIG", nowhere)
                .env("COLUMNS", columns)
                .output()
                .expect("the binary runs");
            assert_eq!(output.status.code(), Some(0), "{command} {flag}");
            stdout(&output).to_owned()
        };
        for columns in ["80", "100"] {
            let short = help("-h", columns);
            let by_word = run(Path::new("."), nowhere, &["help", command, "-h"]);
            if columns == "100" && !command.is_empty() {
                assert_eq!(stdout(&by_word), short, "help {command} -h");
            }
            let lines: Vec<&str> = short.lines().collect();
            assert!(
                lines.len() <= 40,
                "{command}: {} lines of {columns}: {short}",
                lines.len()
            );
            assert_eq!(lines[2], "Examples:", "{short}");
            for line in lines {
                assert!(
                    line.chars().count() <= 80 || columns == "100",
                    "{command}: {line}"
                );
                assert!(
                    !line.contains("--kubeconfig") && !line.contains("--sync-period"),
                    "{line}"
                );
            }
        }
        let long = help("--help", "100");
        let headings = |text: &str| long.lines().filter(|line| line.starts_with(text)).count();
        let connects = usize::from(long.contains("--kubeconfig"));
        assert_eq!(headings("Connection:"), connects, "{command}");
        let sets = usize::from(long.contains("--sync-period "));
        assert_eq!(headings("Controller settings"), sets, "{command}");
        of_clusters += connects;
    }
    assert_eq!(of_clusters, 7);
}

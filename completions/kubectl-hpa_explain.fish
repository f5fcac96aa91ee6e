# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_hpa_explain_global_optspecs
    string join \n V/version snapshot= n/namespace= A/all-namespaces exit-code history= controller-log= prometheus= prometheus-label= prometheus-header= prometheus-token-file= prometheus-ca-file= at= since= until= nodes all-versions kubernetes-version= tolerance= downscale-stabilization= cpu-initialization-period= initial-readiness-delay= sync-period= feature-gates= kubeconfig= context= cluster= user= s/server= token= as= as-group= as-uid= certificate-authority= client-certificate= client-key= insecure-skip-tls-verify= tls-server-name= disable-compression= request-timeout= show-requests o/output= v/verbose color= file= open no-redact h/help
end

function __fish_kubectl_hpa_explain_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kubectl_hpa_explain_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kubectl_hpa_explain_using_subcommand
    set -l cmd (__fish_kubectl_hpa_explain_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l snapshot -d 'Read a snapshot file, or - for standard input' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -s n -l namespace -d 'Only HPAs of this namespace' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l history -d 'Read the record of an HPA that `watch --record` or `record` wrote' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l controller-log -d 'Read the kube-controller-manager\'s log, of `-v=4` or more' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l prometheus -d 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l prometheus-label -d 'Only series with this label, such as cluster=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l prometheus-header -d 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l prometheus-token-file -d 'Read the bearer token for the Prometheus from this file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l prometheus-ca-file -d 'Trust the certificates of this file instead of the system\'s; a Prometheus in the cluster is asked as the cluster is' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l at -d 'Explain this moment, of a record or as scraped, such as 03:00, 2026-11-20T08:30:00Z, or -5m before its end; with a record, no cluster is needed' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l since -d 'Tell what happened since a time, such as 03:00 or -2h, by what a Prometheus scraped' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l until -d 'Tell it up to this time; without it, up to now' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l kubernetes-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l tolerance -d 'Tolerated deviation from the target, such as 0.1 or 10%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l downscale-stabilization -d 'How long the highest recent recommendation holds a scale-down, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l cpu-initialization-period -d 'How long after a pod starts its cpu may be ignored, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l initial-readiness-delay -d 'How long after a pod starts it may count as not yet ready, such as 30s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l sync-period -d 'Time between two passes of the controller, such as 15s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -s s -l server -d 'The address and port of the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l as -d 'Username to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l as-group -d 'Group to impersonate; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l certificate-authority -d 'Path to a certificate file of the certificate authority' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l client-certificate -d 'Path to a client certificate file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l client-key -d 'Path to a client key file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l tls-server-name -d 'Name to check the server\'s certificate against' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l disable-compression -d 'Do not ask for compressed answers' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l request-timeout -d 'How long one request may take, such as 5s; by default 15s, and one minute in all' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -s o -l output -d 'Output format' -r -f -a "text\t'For people'
wide\t'For people with a wide terminal: nothing is left out for want of room'
json\t'For programs; one document a line where there are several'
yaml\t'For programs'
markdown\t'For a pull request or an incident'
html\t'One page to share: the answer, a timeline and every pass, for a browser'
name\t'The names alone, as kubectl takes them'
snapshot\t'The inputs themselves, for --snapshot; those of a cluster redacted, as `capture` writes them'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l file -d 'Write the page to this file, readable for you alone' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -s V -l version -d 'Print the version, and the releases whose rules it knows'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -s A -l all-namespaces -d 'List the HPAs of all namespaces'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l exit-code -d 'Exit with 3 if there is a finding of severity warning or error'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l nodes -d 'At maxReplicas, and where pods are Pending: read the nodes and the pods of all namespaces too, to tell whether there is room'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l all-versions -d 'What each Kubernetes release would decide, and which of its rules makes the difference'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l show-requests -d 'Print every request with status and duration, on stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -s v -l verbose -d 'More detail: -v steps and pods, -vv also formulas'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l open -d 'Show the page in the browser'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -l no-redact -d 'Keep images, node names and annotations as they are'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "list" -d 'List HPAs: replicas and verdict, one line per HPA'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "lint" -d 'Check manifests of HPAs before they are applied; without a cluster'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "explain" -d 'Print what a code such as policy-limits means; without a cluster'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "dry-run" -d 'Compare what an HPA does with what it would do under another spec'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "simulate" -d 'Run hours of load against one or several specs, in milliseconds'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "flaps" -d 'Find HPAs that flap or are stuck, why, and what helps'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "tune" -d 'Find out whether another spec pays for the load of a history'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "rbac" -d 'Print the smallest RBAC role that the commands need'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "demo" -d 'Explain a built-in case; without a cluster'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "capture" -d 'Write the inputs of HPAs to a file, for a bug report'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "record" -d 'Keep what a Prometheus knows of an HPA in a file'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "watch" -d 'Follow an HPA pass by pass, and record what each pass runs on'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "completion" -d 'Set up shell completion'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "version" -d 'Print the version, and the releases whose rules it knows'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_needs_command" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -s n -l namespace -d 'HPAs of this namespace' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -s l -l selector -d 'Only HPAs whose labels match, such as app=web' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l field-selector -d 'Only HPAs whose fields match: metadata.name, metadata.namespace' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l sort-by -d 'Sort order' -r -f -a "problem\t'The worst first'
name\t'By namespace and name'
replicas\t'The fewest first'
since\t'The longest first; where it is not known, last'
age\t'The oldest first'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l snapshot -d 'Read a snapshot file, or - for standard input' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -s o -l output -d 'Output format; wide has all columns' -r -f -a "text\t'For people'
wide\t'For people with a wide terminal: nothing is left out for want of room'
json\t'For programs; one document a line where there are several'
yaml\t'For programs'
markdown\t'For a pull request or an incident'
name\t'The names alone, as kubectl takes them'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l history -d 'Read the record of an HPA that `watch --record` or `record` wrote' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l controller-log -d 'Read the kube-controller-manager\'s log, of `-v=4` or more' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l prometheus -d 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l prometheus-label -d 'Only series with this label, such as cluster=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l prometheus-header -d 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l prometheus-token-file -d 'Read the bearer token for the Prometheus from this file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l prometheus-ca-file -d 'Trust the certificates of this file instead of the system\'s; a Prometheus in the cluster is asked as the cluster is' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l compare-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l compare-tolerance -d 'Tolerated deviation from the target, such as 0.1 or 10%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l compare-downscale-stabilization -d 'How long the highest recent recommendation holds a scale-down, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l compare-cpu-initialization-period -d 'How long after a pod starts its cpu may be ignored, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l compare-initial-readiness-delay -d 'How long after a pod starts it may count as not yet ready, such as 30s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l compare-sync-period -d 'Time between two passes of the controller, such as 15s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l compare-feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l kubernetes-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l tolerance -d 'Tolerated deviation from the target, such as 0.1 or 10%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l downscale-stabilization -d 'How long the highest recent recommendation holds a scale-down, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l cpu-initialization-period -d 'How long after a pod starts its cpu may be ignored, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l initial-readiness-delay -d 'How long after a pod starts it may count as not yet ready, such as 30s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l sync-period -d 'Time between two passes of the controller, such as 15s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -s s -l server -d 'The address and port of the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l as -d 'Username to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l as-group -d 'Group to impersonate; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l certificate-authority -d 'Path to a certificate file of the certificate authority' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l client-certificate -d 'Path to a client certificate file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l client-key -d 'Path to a client key file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l tls-server-name -d 'Name to check the server\'s certificate against' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l disable-compression -d 'Do not ask for compressed answers' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l request-timeout -d 'How long one request may take, such as 5s; by default 15s, and one minute in all' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -s A -l all-namespaces -d 'HPAs of all namespaces'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l problems -d 'Only HPAs with a warning or error'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l exit-code -d 'Exit with 3 if there is a warning or error, or with --compare-… a difference'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l full -d 'Also ask for custom and external metrics, one request each'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l no-headers -d 'No column titles'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -l show-requests -d 'Print every request with status and duration, on stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand lint" -s f -l filename -d 'Another way to give FILE, as in kubectl apply -f' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand lint" -l kubernetes-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand lint" -l feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand lint" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand lint" -s o -l output -d 'Output format' -r -f -a "text\t'For people'
json\t'For programs; one document a line where there are several'
yaml\t'For programs'
github\t'Annotations for a pull request on GitHub'
sarif\t'For code scanning: SARIF 2.1.0'
junit\t'For the test report of a CI system: JUnit'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand lint" -l exit-code -d 'Exit with 3 if there is a finding of severity warning or error'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand lint" -s v -l verbose -d 'Show the evidence of findings'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand lint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand explain" -s h -l help -d 'Print help'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -s f -l filename -d 'A manifest with the proposed HPA, or -; can be repeated' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l set -d 'A field to set, such as spec.maxReplicas=40; null removes it' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l for -d 'Run both sides for this time, such as 15m; with --at or --prometheus on the load of then' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l snapshot -d 'Read a snapshot file, or - for standard input' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -s n -l namespace -d 'The namespace of the HPA' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l history -d 'Read the record of an HPA that `watch --record` or `record` wrote' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l controller-log -d 'Read the kube-controller-manager\'s log, of `-v=4` or more' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l prometheus -d 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l prometheus-label -d 'Only series with this label, such as cluster=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l prometheus-header -d 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l prometheus-token-file -d 'Read the bearer token for the Prometheus from this file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l prometheus-ca-file -d 'Trust the certificates of this file instead of the system\'s; a Prometheus in the cluster is asked as the cluster is' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l at -d 'Take this moment of the record, such as 03:00, 2026-11-20T08:30:00Z, or -5m before its end; needs no cluster' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l metric -d 'A metric at a value of its own unit, or a resource at a percentage of the requests: queue=900, cpu=180%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l unready -d 'More pods that have never been Ready' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l missing -d 'More pods without a sample' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l replicas -d 'Another size, with the load spread over it' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l kubernetes-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l tolerance -d 'Tolerated deviation from the target, such as 0.1 or 10%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l downscale-stabilization -d 'How long the highest recent recommendation holds a scale-down, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l cpu-initialization-period -d 'How long after a pod starts its cpu may be ignored, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l initial-readiness-delay -d 'How long after a pod starts it may count as not yet ready, such as 30s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l sync-period -d 'Time between two passes of the controller, such as 15s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -s s -l server -d 'The address and port of the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l as -d 'Username to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l as-group -d 'Group to impersonate; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l certificate-authority -d 'Path to a certificate file of the certificate authority' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l client-certificate -d 'Path to a client certificate file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l client-key -d 'Path to a client key file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l tls-server-name -d 'Name to check the server\'s certificate against' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l disable-compression -d 'Do not ask for compressed answers' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l request-timeout -d 'How long one request may take, such as 5s; by default 15s, and one minute in all' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l file -d 'Write the page to this file, readable for you alone' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -s o -l output -d 'Output format' -r -f -a "text\t'For people'
wide\t'For people with a wide terminal: nothing is left out for want of room'
json\t'For programs; one document a line where there are several'
yaml\t'For programs'
markdown\t'For a pull request or an incident'
html\t'One page to share: the answer, a timeline and every pass, for a browser'
name\t'The names alone, as kubectl takes them'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l server-side -d 'Also ask the API server, with dryRun=All, which stores nothing'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l show-requests -d 'Print every request with status and duration, on stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -s v -l verbose -d 'More detail: -v steps and pods, -vv also formulas'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l open -d 'Show the page in the browser'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -l no-redact -d 'Keep images, node names and annotations as they are'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand dry-run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l scenario -d 'Run the scenarios of a file, each an HPA and its demand' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -s f -l filename -d 'A manifest with the HPA, or - for standard input' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l snapshot -d 'Read a snapshot file, or - for standard input' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -s n -l namespace -d 'The namespace of the HPA' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l candidate -d 'A manifest with a proposed HPA; can be repeated' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l set -d 'A field to set, such as spec.maxReplicas=40' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l load -d 'steps, sine, spike, ramp, noise, csv:FILE or history[:FILE] (see --help)' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l for -d 'For how long, such as 24h; by default 1h, or all of the load\'s file' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l metric -d 'The metric of the load, as NAME, TYPE:NAME or NAME/CONTAINER; by default the first one of the spec' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l replicas -d 'The size at the start; by default the current one, or minReplicas' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l prometheus -d 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l prometheus-label -d 'Only series with this label, such as cluster=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l prometheus-header -d 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l prometheus-token-file -d 'Read the bearer token for the Prometheus from this file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l prometheus-ca-file -d 'Trust the certificates of this file instead of the system\'s; a Prometheus in the cluster is asked as the cluster is' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l request -d 'What a pod requests of the metric\'s resource, such as 500m; by default what the HPA\'s pods request' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l start-up -d 'Time from a pod\'s scheduling to its containers running; by default 10s, or as the record shows it' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l readiness -d 'Time from running to Ready; by default 5s, or as the record shows it' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l metric-window -d 'Time that a sample measures; by default 30s, or as the record shows it' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l metric-lag -d 'Age of a sample when a pass reads it; by default 15s, or as the record shows it' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l status-lag -d 'How long the target\'s status.replicas lags behind' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l burst -d 'What a pod uses on its own while it starts, and for how long: 400m,60s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l rollout -d 'A rolling update of all pods at this moment; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l crashing -d 'Number of pods that never become Ready' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l capacity -d 'Number of pods that the nodes have room for; further pods stay Pending' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l kubernetes-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l tolerance -d 'Tolerated deviation from the target, such as 0.1 or 10%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l downscale-stabilization -d 'How long the highest recent recommendation holds a scale-down, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l cpu-initialization-period -d 'How long after a pod starts its cpu may be ignored, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l initial-readiness-delay -d 'How long after a pod starts it may count as not yet ready, such as 30s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l sync-period -d 'Time between two passes of the controller, such as 15s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -s s -l server -d 'The address and port of the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l as -d 'Username to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l as-group -d 'Group to impersonate; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l certificate-authority -d 'Path to a certificate file of the certificate authority' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l client-certificate -d 'Path to a client certificate file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l client-key -d 'Path to a client key file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l tls-server-name -d 'Name to check the server\'s certificate against' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l disable-compression -d 'Do not ask for compressed answers' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l request-timeout -d 'How long one request may take, such as 5s; by default 15s, and one minute in all' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l file -d 'Write the page to this file, readable for you alone' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -s o -l output -d 'Output format' -r -f -a "text\t'For people'
wide\t'For people with a wide terminal: nothing is left out for want of room'
json\t'For programs; one document a line where there are several'
yaml\t'For programs'
markdown\t'For a pull request or an incident'
html\t'One page to share: the answer, a timeline and every pass, for a browser'
name\t'The names alone, as kubectl takes them'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l search -d 'Try about a thousand behaviors, and print the best'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l show-requests -d 'Print every request with status and duration, on stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -s v -l verbose -d 'More detail: -v steps and pods, -vv also formulas'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l open -d 'Show the page in the browser'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -l no-redact -d 'Keep images, node names and annotations as they are'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -s n -l namespace -d 'HPAs of this namespace' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -s l -l selector -d 'Only HPAs whose labels match, such as app=web' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l snapshot -d 'Read a snapshot file, or - for standard input' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l history -d 'Read the record of an HPA that `watch --record` or `record` wrote' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l controller-log -d 'Read the kube-controller-manager\'s log, of `-v=4` or more' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l prometheus -d 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l prometheus-label -d 'Only series with this label, such as cluster=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l prometheus-header -d 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l prometheus-token-file -d 'Read the bearer token for the Prometheus from this file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l prometheus-ca-file -d 'Trust the certificates of this file instead of the system\'s; a Prometheus in the cluster is asked as the cluster is' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l at -d 'Judge at this moment of the record, such as 03:00, 2026-11-20T08:30:00Z, or -5m before its end; needs no cluster' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l for -d 'How far back to ask a Prometheus, such as 6h or 14d' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l kubernetes-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l tolerance -d 'Tolerated deviation from the target, such as 0.1 or 10%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l downscale-stabilization -d 'How long the highest recent recommendation holds a scale-down, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l cpu-initialization-period -d 'How long after a pod starts its cpu may be ignored, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l initial-readiness-delay -d 'How long after a pod starts it may count as not yet ready, such as 30s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l sync-period -d 'Time between two passes of the controller, such as 15s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -s s -l server -d 'The address and port of the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l as -d 'Username to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l as-group -d 'Group to impersonate; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l certificate-authority -d 'Path to a certificate file of the certificate authority' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l client-certificate -d 'Path to a client certificate file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l client-key -d 'Path to a client key file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l tls-server-name -d 'Name to check the server\'s certificate against' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l disable-compression -d 'Do not ask for compressed answers' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l request-timeout -d 'How long one request may take, such as 5s; by default 15s, and one minute in all' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l file -d 'Write the page to this file, readable for you alone' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -s o -l output -d 'Output format' -r -f -a "text\t'For people'
wide\t'For people with a wide terminal: nothing is left out for want of room'
json\t'For programs; one document a line where there are several'
yaml\t'For programs'
markdown\t'For a pull request or an incident'
html\t'One page to share: the answer, a timeline and every pass, for a browser'
name\t'The names alone, as kubectl takes them'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -s A -l all-namespaces -d 'HPAs of all namespaces'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l exit-code -d 'Exit with 3 if an HPA flaps or is stuck'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l show-requests -d 'Print every request with status and duration, on stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -s v -l verbose -d 'More detail: -v steps and pods, -vv also formulas'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l open -d 'Show the page in the browser'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -l no-redact -d 'Keep images, node names and annotations as they are'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand flaps" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -s n -l namespace -d 'HPAs of this namespace' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -s l -l selector -d 'Only HPAs whose labels match, such as app=web' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l snapshot -d 'Read a snapshot file, or - for standard input' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l history -d 'Read the record of an HPA that `watch --record` or `record` wrote' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l prometheus -d 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l prometheus-label -d 'Only series with this label, such as cluster=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l prometheus-header -d 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l prometheus-token-file -d 'Read the bearer token for the Prometheus from this file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l prometheus-ca-file -d 'Trust the certificates of this file instead of the system\'s; a Prometheus in the cluster is asked as the cluster is' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l for -d 'How far back to look, such as 6h or 14d; 24h of a Prometheus and all of a file unless given' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l price -d 'What an hour costs of a core and of a GiB that pods request, such as cpu-hour=0.04,gib-hour=0.005' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l kubernetes-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l tolerance -d 'Tolerated deviation from the target, such as 0.1 or 10%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l downscale-stabilization -d 'How long the highest recent recommendation holds a scale-down, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l cpu-initialization-period -d 'How long after a pod starts its cpu may be ignored, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l initial-readiness-delay -d 'How long after a pod starts it may count as not yet ready, such as 30s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l sync-period -d 'Time between two passes of the controller, such as 15s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -s s -l server -d 'The address and port of the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l as -d 'Username to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l as-group -d 'Group to impersonate; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l certificate-authority -d 'Path to a certificate file of the certificate authority' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l client-certificate -d 'Path to a client certificate file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l client-key -d 'Path to a client key file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l tls-server-name -d 'Name to check the server\'s certificate against' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l disable-compression -d 'Do not ask for compressed answers' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l request-timeout -d 'How long one request may take, such as 5s; by default 15s, and one minute in all' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l file -d 'Write the page to this file, readable for you alone' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -s o -l output -d 'Output format' -r -f -a "text\t'For people'
wide\t'For people with a wide terminal: nothing is left out for want of room'
json\t'For programs; one document a line where there are several'
yaml\t'For programs'
markdown\t'For a pull request or an incident'
html\t'One page to share: the answer, a timeline and every pass, for a browser'
name\t'The names alone, as kubectl takes them'
patch\t'The change that pays, for kubectl patch --patch-file'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -s A -l all-namespaces -d 'HPAs of all namespaces'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l exit-code -d 'Exit with 3 if a change pays'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l nodes -d 'Read the nodes and the pods of all namespaces too, to tell whether maxReplicas can be reached'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l requests -d 'Try a smaller cpu request of the pods as well, with a target that lets each carry as much as before'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l show-requests -d 'Print every request with status and duration, on stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -s v -l verbose -d 'More detail: -v steps and pods, -vv also formulas'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l open -d 'Show the page in the browser'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -l no-redact -d 'Keep images, node names and annotations as they are'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand tune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand rbac" -s n -l namespace -d 'For HPAs of this namespace' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand rbac" -l target -d 'A kind that HPAs scale beside deployments.apps and statefulsets.apps, such as rollouts.argoproj.io; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand rbac" -s A -l all-namespaces -d 'For HPAs of all namespaces'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand rbac" -l k3s -d 'For k3s, where the controller\'s flags are annotations of the nodes'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand rbac" -l full -d 'For `list --full`'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand rbac" -l nodes -d 'For `--nodes`: the nodes, and the pods of all namespaces'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand rbac" -l prometheus -d 'For --prometheus without a URL, which finds one in the cluster'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand rbac" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l kubernetes-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l tolerance -d 'Tolerated deviation from the target, such as 0.1 or 10%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l downscale-stabilization -d 'How long the highest recent recommendation holds a scale-down, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l cpu-initialization-period -d 'How long after a pod starts its cpu may be ignored, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l initial-readiness-delay -d 'How long after a pod starts it may count as not yet ready, such as 30s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l sync-period -d 'Time between two passes of the controller, such as 15s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -s o -l output -d 'Output format' -r -f -a "text\t'For people'
wide\t'For people with a wide terminal: nothing is left out for want of room'
json\t'For programs; one document a line where there are several'
yaml\t'For programs'
markdown\t'For a pull request or an incident'
html\t'One page to share: the answer, a timeline and every pass, for a browser'
name\t'The names alone, as kubectl takes them'
snapshot\t'The inputs themselves, for --snapshot; those of a cluster redacted, as `capture` writes them'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l file -d 'Write the page to this file, readable for you alone' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l list -d 'List the cases'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l all-versions -d 'What each Kubernetes release would decide, and which of its rules makes the difference'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -s v -l verbose -d 'More detail: -v steps and pods, -vv also formulas'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l open -d 'Show the page in the browser'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -l no-redact -d 'Keep images, node names and annotations as they are'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -s o -l output -d 'Print to standard output' -r -f -a "yaml\t'YAML documents'
json\t'A JSON document a line'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l file -d 'Write to this file, readable for you alone: YAML, or a JSON document a line if its name ends in .json or .jsonl' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -s n -l namespace -d 'The namespace of the HPAs' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -s s -l server -d 'The address and port of the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l as -d 'Username to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l as-group -d 'Group to impersonate; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l certificate-authority -d 'Path to a certificate file of the certificate authority' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l client-certificate -d 'Path to a client certificate file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l client-key -d 'Path to a client key file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l tls-server-name -d 'Name to check the server\'s certificate against' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l disable-compression -d 'Do not ask for compressed answers' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l request-timeout -d 'How long one request may take, such as 5s; by default 15s, and one minute in all' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -s A -l all-namespaces -d 'Every HPA of every namespace'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l no-redact -d 'Keep images, node names and annotations as they are'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -l show-requests -d 'Print every request with status and duration, on stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand capture" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -s n -l namespace -d 'The namespace of the HPA' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l snapshot -d 'Read the HPA from a snapshot file, or - for standard input' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l file -d 'Write to this file, readable for you alone' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l for -d 'How far back to ask, up to 24h' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l prometheus-label -d 'Only series with this label, such as cluster=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l prometheus-header -d 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l prometheus-token-file -d 'Read the bearer token for the Prometheus from this file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l prometheus-ca-file -d 'Trust the certificates of this file instead of the system\'s; a Prometheus in the cluster is asked as the cluster is' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -s s -l server -d 'The address and port of the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l as -d 'Username to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l as-group -d 'Group to impersonate; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l certificate-authority -d 'Path to a certificate file of the certificate authority' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l client-certificate -d 'Path to a client certificate file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l client-key -d 'Path to a client key file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l tls-server-name -d 'Name to check the server\'s certificate against' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l disable-compression -d 'Do not ask for compressed answers' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l request-timeout -d 'How long one request may take, such as 5s; by default 15s, and one minute in all' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l prometheus -d 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -l show-requests -d 'Print every request with status and duration, on stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -s n -l namespace -d 'The namespace of the HPA' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l for -d 'Stop after this time, such as 10m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l record -d 'Append the inputs to this file, readable for you alone' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l record-size -d 'Size at which the record becomes FILE.1 and a new one begins' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -s o -l output -d 'Output format; text is the newest explanation on a terminal, and one line per pass elsewhere' -r -f -a "text\t'For people'
json\t'For programs; one document a line where there are several'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l kubernetes-version -d 'The release whose rules apply, such as 1.32' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l tolerance -d 'Tolerated deviation from the target, such as 0.1 or 10%' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l downscale-stabilization -d 'How long the highest recent recommendation holds a scale-down, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l cpu-initialization-period -d 'How long after a pod starts its cpu may be ignored, such as 5m' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l initial-readiness-delay -d 'How long after a pod starts it may count as not yet ready, such as 30s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l sync-period -d 'Time between two passes of the controller, such as 15s' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l feature-gates -d 'Feature gates, such as HPAScaleToZero=true' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l kubeconfig -d 'Path to the kubeconfig file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l context -d 'The kubeconfig context to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l cluster -d 'The kubeconfig cluster to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l user -d 'The kubeconfig user to use' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -s s -l server -d 'The address and port of the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l as -d 'Username to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l as-group -d 'Group to impersonate; can be repeated' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l certificate-authority -d 'Path to a certificate file of the certificate authority' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l client-certificate -d 'Path to a client certificate file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l client-key -d 'Path to a client key file' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l tls-server-name -d 'Name to check the server\'s certificate against' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l disable-compression -d 'Do not ask for compressed answers' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l request-timeout -d 'How long one request may take, such as 5s; by default 15s, and one minute in all' -r
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l quiet -d 'Only record; gaps and the summary still go to stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l no-redact -d 'Keep images, node names and annotations in the record as they are'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -l show-requests -d 'Print every request with status and duration, on stderr'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell install help" -s h -l help -d 'Print help'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell install help" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell install help" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell install help" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell install help" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell install help" -f -a "install" -d 'Write the helper through which kubectl completes this plugin'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and not __fish_seen_subcommand_from bash zsh fish powershell install help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from bash" -s h -l help -d 'Print help'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from zsh" -s h -l help -d 'Print help'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from fish" -s h -l help -d 'Print help'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from powershell" -s h -l help -d 'Print help'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from install" -l dir -d 'Where to: a folder of the PATH; if not given, the one in which kubectl finds the plugin' -r -F
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "install" -d 'Write the helper through which kubectl completes this plugin'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand completion; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand version" -l color -d 'When to color the text' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t''
never\t''"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand version" -s o -l output -d 'Output format' -r -f -a "text\t'For people'
json\t'For programs; one document a line where there are several'
yaml\t'For programs'"
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand version" -s v -l verbose -d 'More detail: -v steps and pods, -vv also formulas'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "list" -d 'List HPAs: replicas and verdict, one line per HPA'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "lint" -d 'Check manifests of HPAs before they are applied; without a cluster'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "explain" -d 'Print what a code such as policy-limits means; without a cluster'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "dry-run" -d 'Compare what an HPA does with what it would do under another spec'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "simulate" -d 'Run hours of load against one or several specs, in milliseconds'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "flaps" -d 'Find HPAs that flap or are stuck, why, and what helps'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "tune" -d 'Find out whether another spec pays for the load of a history'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "rbac" -d 'Print the smallest RBAC role that the commands need'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "demo" -d 'Explain a built-in case; without a cluster'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "capture" -d 'Write the inputs of HPAs to a file, for a bug report'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "record" -d 'Keep what a Prometheus knows of an HPA in a file'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "watch" -d 'Follow an HPA pass by pass, and record what each pass runs on'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "completion" -d 'Set up shell completion'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "version" -d 'Print the version, and the releases whose rules it knows'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and not __fish_seen_subcommand_from list lint explain dry-run simulate flaps tune rbac demo capture record watch completion version help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "bash" -d 'Print the script for bash'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "zsh" -d 'Print the script for zsh'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "fish" -d 'Print the script for fish'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "powershell" -d 'Print the script for PowerShell'
complete -c kubectl-hpa_explain -n "__fish_kubectl_hpa_explain_using_subcommand help; and __fish_seen_subcommand_from completion" -f -a "install" -d 'Write the helper through which kubectl completes this plugin'


using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'kubectl-hpa_explain' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'kubectl-hpa_explain'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'kubectl-hpa_explain' {
            [CompletionResult]::new('--snapshot', '--snapshot', [CompletionResultType]::ParameterName, 'Read a snapshot file, or - for standard input')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Only HPAs of this namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Only HPAs of this namespace')
            [CompletionResult]::new('--history', '--history', [CompletionResultType]::ParameterName, 'Read the record of an HPA that `watch --record` or `record` wrote')
            [CompletionResult]::new('--controller-log', '--controller-log', [CompletionResultType]::ParameterName, 'Read the kube-controller-manager''s log, of `-v=4` or more')
            [CompletionResult]::new('--prometheus', '--prometheus', [CompletionResultType]::ParameterName, 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster')
            [CompletionResult]::new('--prometheus-label', '--prometheus-label', [CompletionResultType]::ParameterName, 'Only series with this label, such as cluster=prod; can be repeated')
            [CompletionResult]::new('--prometheus-header', '--prometheus-header', [CompletionResultType]::ParameterName, 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated')
            [CompletionResult]::new('--prometheus-token-file', '--prometheus-token-file', [CompletionResultType]::ParameterName, 'Read the bearer token for the Prometheus from this file')
            [CompletionResult]::new('--prometheus-ca-file', '--prometheus-ca-file', [CompletionResultType]::ParameterName, 'Trust the certificates of this file instead of the system''s; a Prometheus in the cluster is asked as the cluster is')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Explain this moment, of a record or as scraped, such as 03:00, 2026-11-20T08:30:00Z, or -5m before its end; with a record, no cluster is needed')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Tell what happened since a time, such as 03:00 or -2h, by what a Prometheus scraped')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Tell it up to this time; without it, up to now')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--tolerance', '--tolerance', [CompletionResultType]::ParameterName, 'Tolerated deviation from the target, such as 0.1 or 10%')
            [CompletionResult]::new('--downscale-stabilization', '--downscale-stabilization', [CompletionResultType]::ParameterName, 'How long the highest recent recommendation holds a scale-down, such as 5m')
            [CompletionResult]::new('--cpu-initialization-period', '--cpu-initialization-period', [CompletionResultType]::ParameterName, 'How long after a pod starts its cpu may be ignored, such as 5m')
            [CompletionResult]::new('--initial-readiness-delay', '--initial-readiness-delay', [CompletionResultType]::ParameterName, 'How long after a pod starts it may count as not yet ready, such as 30s')
            [CompletionResult]::new('--sync-period', '--sync-period', [CompletionResultType]::ParameterName, 'Time between two passes of the controller, such as 15s')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Path to the kubeconfig file')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The kubeconfig context to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The kubeconfig cluster to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The kubeconfig user to use')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Username to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; can be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Path to a certificate file of the certificate authority')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Path to a client certificate file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Path to a client key file')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Do not check the server''s certificate')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name to check the server''s certificate against')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Do not ask for compressed answers')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long one request may take, such as 5s; by default 15s, and one minute in all')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Write the page to this file, readable for you alone')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print the version, and the releases whose rules it knows')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print the version, and the releases whose rules it knows')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'List the HPAs of all namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'List the HPAs of all namespaces')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 3 if there is a finding of severity warning or error')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'At maxReplicas, and where pods are Pending: read the nodes and the pods of all namespaces too, to tell whether there is room')
            [CompletionResult]::new('--all-versions', '--all-versions', [CompletionResultType]::ParameterName, 'What each Kubernetes release would decide, and which of its rules makes the difference')
            [CompletionResult]::new('--show-requests', '--show-requests', [CompletionResultType]::ParameterName, 'Print every request with status and duration, on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Show the page in the browser')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep images, node names and annotations as they are')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List HPAs: replicas and verdict, one line per HPA')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Check manifests of HPAs before they are applied; without a cluster')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Print what a code such as policy-limits means; without a cluster')
            [CompletionResult]::new('dry-run', 'dry-run', [CompletionResultType]::ParameterValue, 'Compare what an HPA does with what it would do under another spec')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Run hours of load against one or several specs, in milliseconds')
            [CompletionResult]::new('flaps', 'flaps', [CompletionResultType]::ParameterValue, 'Find HPAs that flap or are stuck, why, and what helps')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Find out whether another spec pays for the load of a history')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Print the smallest RBAC role that the commands need')
            [CompletionResult]::new('demo', 'demo', [CompletionResultType]::ParameterValue, 'Explain a built-in case; without a cluster')
            [CompletionResult]::new('capture', 'capture', [CompletionResultType]::ParameterValue, 'Write the inputs of HPAs to a file, for a bug report')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Keep what a Prometheus knows of an HPA in a file')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Follow an HPA pass by pass, and record what each pass runs on')
            [CompletionResult]::new('completion', 'completion', [CompletionResultType]::ParameterValue, 'Set up shell completion')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Print the version, and the releases whose rules it knows')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kubectl-hpa_explain;list' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'HPAs of this namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'HPAs of this namespace')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'Only HPAs whose labels match, such as app=web')
            [CompletionResult]::new('--selector', '--selector', [CompletionResultType]::ParameterName, 'Only HPAs whose labels match, such as app=web')
            [CompletionResult]::new('--field-selector', '--field-selector', [CompletionResultType]::ParameterName, 'Only HPAs whose fields match: metadata.name, metadata.namespace')
            [CompletionResult]::new('--sort-by', '--sort-by', [CompletionResultType]::ParameterName, 'Sort order')
            [CompletionResult]::new('--snapshot', '--snapshot', [CompletionResultType]::ParameterName, 'Read a snapshot file, or - for standard input')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format; wide has all columns')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format; wide has all columns')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('--history', '--history', [CompletionResultType]::ParameterName, 'Read the record of an HPA that `watch --record` or `record` wrote')
            [CompletionResult]::new('--controller-log', '--controller-log', [CompletionResultType]::ParameterName, 'Read the kube-controller-manager''s log, of `-v=4` or more')
            [CompletionResult]::new('--prometheus', '--prometheus', [CompletionResultType]::ParameterName, 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster')
            [CompletionResult]::new('--prometheus-label', '--prometheus-label', [CompletionResultType]::ParameterName, 'Only series with this label, such as cluster=prod; can be repeated')
            [CompletionResult]::new('--prometheus-header', '--prometheus-header', [CompletionResultType]::ParameterName, 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated')
            [CompletionResult]::new('--prometheus-token-file', '--prometheus-token-file', [CompletionResultType]::ParameterName, 'Read the bearer token for the Prometheus from this file')
            [CompletionResult]::new('--prometheus-ca-file', '--prometheus-ca-file', [CompletionResultType]::ParameterName, 'Trust the certificates of this file instead of the system''s; a Prometheus in the cluster is asked as the cluster is')
            [CompletionResult]::new('--compare-version', '--compare-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--compare-tolerance', '--compare-tolerance', [CompletionResultType]::ParameterName, 'Tolerated deviation from the target, such as 0.1 or 10%')
            [CompletionResult]::new('--compare-downscale-stabilization', '--compare-downscale-stabilization', [CompletionResultType]::ParameterName, 'How long the highest recent recommendation holds a scale-down, such as 5m')
            [CompletionResult]::new('--compare-cpu-initialization-period', '--compare-cpu-initialization-period', [CompletionResultType]::ParameterName, 'How long after a pod starts its cpu may be ignored, such as 5m')
            [CompletionResult]::new('--compare-initial-readiness-delay', '--compare-initial-readiness-delay', [CompletionResultType]::ParameterName, 'How long after a pod starts it may count as not yet ready, such as 30s')
            [CompletionResult]::new('--compare-sync-period', '--compare-sync-period', [CompletionResultType]::ParameterName, 'Time between two passes of the controller, such as 15s')
            [CompletionResult]::new('--compare-feature-gates', '--compare-feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--tolerance', '--tolerance', [CompletionResultType]::ParameterName, 'Tolerated deviation from the target, such as 0.1 or 10%')
            [CompletionResult]::new('--downscale-stabilization', '--downscale-stabilization', [CompletionResultType]::ParameterName, 'How long the highest recent recommendation holds a scale-down, such as 5m')
            [CompletionResult]::new('--cpu-initialization-period', '--cpu-initialization-period', [CompletionResultType]::ParameterName, 'How long after a pod starts its cpu may be ignored, such as 5m')
            [CompletionResult]::new('--initial-readiness-delay', '--initial-readiness-delay', [CompletionResultType]::ParameterName, 'How long after a pod starts it may count as not yet ready, such as 30s')
            [CompletionResult]::new('--sync-period', '--sync-period', [CompletionResultType]::ParameterName, 'Time between two passes of the controller, such as 15s')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Path to the kubeconfig file')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The kubeconfig context to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The kubeconfig cluster to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The kubeconfig user to use')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Username to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; can be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Path to a certificate file of the certificate authority')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Path to a client certificate file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Path to a client key file')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Do not check the server''s certificate')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name to check the server''s certificate against')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Do not ask for compressed answers')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long one request may take, such as 5s; by default 15s, and one minute in all')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'HPAs of all namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'HPAs of all namespaces')
            [CompletionResult]::new('--problems', '--problems', [CompletionResultType]::ParameterName, 'Only HPAs with a warning or error')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 3 if there is a warning or error, or with --compare-… a difference')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Also ask for custom and external metrics, one request each')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'No column titles')
            [CompletionResult]::new('--show-requests', '--show-requests', [CompletionResultType]::ParameterName, 'Print every request with status and duration, on stderr')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;lint' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Another way to give FILE, as in kubectl apply -f')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Another way to give FILE, as in kubectl apply -f')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 3 if there is a finding of severity warning or error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show the evidence of findings')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show the evidence of findings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;explain' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-hpa_explain;dry-run' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'A manifest with the proposed HPA, or -; can be repeated')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'A manifest with the proposed HPA, or -; can be repeated')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A field to set, such as spec.maxReplicas=40; null removes it')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Run both sides for this time, such as 15m; with --at or --prometheus on the load of then')
            [CompletionResult]::new('--snapshot', '--snapshot', [CompletionResultType]::ParameterName, 'Read a snapshot file, or - for standard input')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace of the HPA')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace of the HPA')
            [CompletionResult]::new('--history', '--history', [CompletionResultType]::ParameterName, 'Read the record of an HPA that `watch --record` or `record` wrote')
            [CompletionResult]::new('--controller-log', '--controller-log', [CompletionResultType]::ParameterName, 'Read the kube-controller-manager''s log, of `-v=4` or more')
            [CompletionResult]::new('--prometheus', '--prometheus', [CompletionResultType]::ParameterName, 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster')
            [CompletionResult]::new('--prometheus-label', '--prometheus-label', [CompletionResultType]::ParameterName, 'Only series with this label, such as cluster=prod; can be repeated')
            [CompletionResult]::new('--prometheus-header', '--prometheus-header', [CompletionResultType]::ParameterName, 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated')
            [CompletionResult]::new('--prometheus-token-file', '--prometheus-token-file', [CompletionResultType]::ParameterName, 'Read the bearer token for the Prometheus from this file')
            [CompletionResult]::new('--prometheus-ca-file', '--prometheus-ca-file', [CompletionResultType]::ParameterName, 'Trust the certificates of this file instead of the system''s; a Prometheus in the cluster is asked as the cluster is')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Take this moment of the record, such as 03:00, 2026-11-20T08:30:00Z, or -5m before its end; needs no cluster')
            [CompletionResult]::new('--metric', '--metric', [CompletionResultType]::ParameterName, 'A metric at a value of its own unit, or a resource at a percentage of the requests: queue=900, cpu=180%')
            [CompletionResult]::new('--unready', '--unready', [CompletionResultType]::ParameterName, 'More pods that have never been Ready')
            [CompletionResult]::new('--missing', '--missing', [CompletionResultType]::ParameterName, 'More pods without a sample')
            [CompletionResult]::new('--replicas', '--replicas', [CompletionResultType]::ParameterName, 'Another size, with the load spread over it')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--tolerance', '--tolerance', [CompletionResultType]::ParameterName, 'Tolerated deviation from the target, such as 0.1 or 10%')
            [CompletionResult]::new('--downscale-stabilization', '--downscale-stabilization', [CompletionResultType]::ParameterName, 'How long the highest recent recommendation holds a scale-down, such as 5m')
            [CompletionResult]::new('--cpu-initialization-period', '--cpu-initialization-period', [CompletionResultType]::ParameterName, 'How long after a pod starts its cpu may be ignored, such as 5m')
            [CompletionResult]::new('--initial-readiness-delay', '--initial-readiness-delay', [CompletionResultType]::ParameterName, 'How long after a pod starts it may count as not yet ready, such as 30s')
            [CompletionResult]::new('--sync-period', '--sync-period', [CompletionResultType]::ParameterName, 'Time between two passes of the controller, such as 15s')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Path to the kubeconfig file')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The kubeconfig context to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The kubeconfig cluster to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The kubeconfig user to use')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Username to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; can be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Path to a certificate file of the certificate authority')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Path to a client certificate file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Path to a client key file')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Do not check the server''s certificate')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name to check the server''s certificate against')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Do not ask for compressed answers')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long one request may take, such as 5s; by default 15s, and one minute in all')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Write the page to this file, readable for you alone')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--server-side', '--server-side', [CompletionResultType]::ParameterName, 'Also ask the API server, with dryRun=All, which stores nothing')
            [CompletionResult]::new('--show-requests', '--show-requests', [CompletionResultType]::ParameterName, 'Print every request with status and duration, on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Show the page in the browser')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep images, node names and annotations as they are')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;simulate' {
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'Run the scenarios of a file, each an HPA and its demand')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'A manifest with the HPA, or - for standard input')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'A manifest with the HPA, or - for standard input')
            [CompletionResult]::new('--snapshot', '--snapshot', [CompletionResultType]::ParameterName, 'Read a snapshot file, or - for standard input')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace of the HPA')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace of the HPA')
            [CompletionResult]::new('--candidate', '--candidate', [CompletionResultType]::ParameterName, 'A manifest with a proposed HPA; can be repeated')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A field to set, such as spec.maxReplicas=40')
            [CompletionResult]::new('--load', '--load', [CompletionResultType]::ParameterName, 'steps, sine, spike, ramp, noise, csv:FILE or history[:FILE] (see --help)')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'For how long, such as 24h; by default 1h, or all of the load''s file')
            [CompletionResult]::new('--metric', '--metric', [CompletionResultType]::ParameterName, 'The metric of the load, as NAME, TYPE:NAME or NAME/CONTAINER; by default the first one of the spec')
            [CompletionResult]::new('--replicas', '--replicas', [CompletionResultType]::ParameterName, 'The size at the start; by default the current one, or minReplicas')
            [CompletionResult]::new('--prometheus', '--prometheus', [CompletionResultType]::ParameterName, 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster')
            [CompletionResult]::new('--prometheus-label', '--prometheus-label', [CompletionResultType]::ParameterName, 'Only series with this label, such as cluster=prod; can be repeated')
            [CompletionResult]::new('--prometheus-header', '--prometheus-header', [CompletionResultType]::ParameterName, 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated')
            [CompletionResult]::new('--prometheus-token-file', '--prometheus-token-file', [CompletionResultType]::ParameterName, 'Read the bearer token for the Prometheus from this file')
            [CompletionResult]::new('--prometheus-ca-file', '--prometheus-ca-file', [CompletionResultType]::ParameterName, 'Trust the certificates of this file instead of the system''s; a Prometheus in the cluster is asked as the cluster is')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'What a pod requests of the metric''s resource, such as 500m; by default what the HPA''s pods request')
            [CompletionResult]::new('--start-up', '--start-up', [CompletionResultType]::ParameterName, 'Time from a pod''s scheduling to its containers running; by default 10s, or as the record shows it')
            [CompletionResult]::new('--readiness', '--readiness', [CompletionResultType]::ParameterName, 'Time from running to Ready; by default 5s, or as the record shows it')
            [CompletionResult]::new('--metric-window', '--metric-window', [CompletionResultType]::ParameterName, 'Time that a sample measures; by default 30s, or as the record shows it')
            [CompletionResult]::new('--metric-lag', '--metric-lag', [CompletionResultType]::ParameterName, 'Age of a sample when a pass reads it; by default 15s, or as the record shows it')
            [CompletionResult]::new('--status-lag', '--status-lag', [CompletionResultType]::ParameterName, 'How long the target''s status.replicas lags behind')
            [CompletionResult]::new('--burst', '--burst', [CompletionResultType]::ParameterName, 'What a pod uses on its own while it starts, and for how long: 400m,60s')
            [CompletionResult]::new('--rollout', '--rollout', [CompletionResultType]::ParameterName, 'A rolling update of all pods at this moment; can be repeated')
            [CompletionResult]::new('--crashing', '--crashing', [CompletionResultType]::ParameterName, 'Number of pods that never become Ready')
            [CompletionResult]::new('--capacity', '--capacity', [CompletionResultType]::ParameterName, 'Number of pods that the nodes have room for; further pods stay Pending')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--tolerance', '--tolerance', [CompletionResultType]::ParameterName, 'Tolerated deviation from the target, such as 0.1 or 10%')
            [CompletionResult]::new('--downscale-stabilization', '--downscale-stabilization', [CompletionResultType]::ParameterName, 'How long the highest recent recommendation holds a scale-down, such as 5m')
            [CompletionResult]::new('--cpu-initialization-period', '--cpu-initialization-period', [CompletionResultType]::ParameterName, 'How long after a pod starts its cpu may be ignored, such as 5m')
            [CompletionResult]::new('--initial-readiness-delay', '--initial-readiness-delay', [CompletionResultType]::ParameterName, 'How long after a pod starts it may count as not yet ready, such as 30s')
            [CompletionResult]::new('--sync-period', '--sync-period', [CompletionResultType]::ParameterName, 'Time between two passes of the controller, such as 15s')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Path to the kubeconfig file')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The kubeconfig context to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The kubeconfig cluster to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The kubeconfig user to use')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Username to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; can be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Path to a certificate file of the certificate authority')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Path to a client certificate file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Path to a client key file')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Do not check the server''s certificate')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name to check the server''s certificate against')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Do not ask for compressed answers')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long one request may take, such as 5s; by default 15s, and one minute in all')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Write the page to this file, readable for you alone')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--search', '--search', [CompletionResultType]::ParameterName, 'Try about a thousand behaviors, and print the best')
            [CompletionResult]::new('--show-requests', '--show-requests', [CompletionResultType]::ParameterName, 'Print every request with status and duration, on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Show the page in the browser')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep images, node names and annotations as they are')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;flaps' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'HPAs of this namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'HPAs of this namespace')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'Only HPAs whose labels match, such as app=web')
            [CompletionResult]::new('--selector', '--selector', [CompletionResultType]::ParameterName, 'Only HPAs whose labels match, such as app=web')
            [CompletionResult]::new('--snapshot', '--snapshot', [CompletionResultType]::ParameterName, 'Read a snapshot file, or - for standard input')
            [CompletionResult]::new('--history', '--history', [CompletionResultType]::ParameterName, 'Read the record of an HPA that `watch --record` or `record` wrote')
            [CompletionResult]::new('--controller-log', '--controller-log', [CompletionResultType]::ParameterName, 'Read the kube-controller-manager''s log, of `-v=4` or more')
            [CompletionResult]::new('--prometheus', '--prometheus', [CompletionResultType]::ParameterName, 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster')
            [CompletionResult]::new('--prometheus-label', '--prometheus-label', [CompletionResultType]::ParameterName, 'Only series with this label, such as cluster=prod; can be repeated')
            [CompletionResult]::new('--prometheus-header', '--prometheus-header', [CompletionResultType]::ParameterName, 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated')
            [CompletionResult]::new('--prometheus-token-file', '--prometheus-token-file', [CompletionResultType]::ParameterName, 'Read the bearer token for the Prometheus from this file')
            [CompletionResult]::new('--prometheus-ca-file', '--prometheus-ca-file', [CompletionResultType]::ParameterName, 'Trust the certificates of this file instead of the system''s; a Prometheus in the cluster is asked as the cluster is')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Judge at this moment of the record, such as 03:00, 2026-11-20T08:30:00Z, or -5m before its end; needs no cluster')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How far back to ask a Prometheus, such as 6h or 14d')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--tolerance', '--tolerance', [CompletionResultType]::ParameterName, 'Tolerated deviation from the target, such as 0.1 or 10%')
            [CompletionResult]::new('--downscale-stabilization', '--downscale-stabilization', [CompletionResultType]::ParameterName, 'How long the highest recent recommendation holds a scale-down, such as 5m')
            [CompletionResult]::new('--cpu-initialization-period', '--cpu-initialization-period', [CompletionResultType]::ParameterName, 'How long after a pod starts its cpu may be ignored, such as 5m')
            [CompletionResult]::new('--initial-readiness-delay', '--initial-readiness-delay', [CompletionResultType]::ParameterName, 'How long after a pod starts it may count as not yet ready, such as 30s')
            [CompletionResult]::new('--sync-period', '--sync-period', [CompletionResultType]::ParameterName, 'Time between two passes of the controller, such as 15s')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Path to the kubeconfig file')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The kubeconfig context to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The kubeconfig cluster to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The kubeconfig user to use')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Username to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; can be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Path to a certificate file of the certificate authority')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Path to a client certificate file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Path to a client key file')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Do not check the server''s certificate')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name to check the server''s certificate against')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Do not ask for compressed answers')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long one request may take, such as 5s; by default 15s, and one minute in all')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Write the page to this file, readable for you alone')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'HPAs of all namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'HPAs of all namespaces')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 3 if an HPA flaps or is stuck')
            [CompletionResult]::new('--show-requests', '--show-requests', [CompletionResultType]::ParameterName, 'Print every request with status and duration, on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Show the page in the browser')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep images, node names and annotations as they are')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;tune' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'HPAs of this namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'HPAs of this namespace')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'Only HPAs whose labels match, such as app=web')
            [CompletionResult]::new('--selector', '--selector', [CompletionResultType]::ParameterName, 'Only HPAs whose labels match, such as app=web')
            [CompletionResult]::new('--snapshot', '--snapshot', [CompletionResultType]::ParameterName, 'Read a snapshot file, or - for standard input')
            [CompletionResult]::new('--history', '--history', [CompletionResultType]::ParameterName, 'Read the record of an HPA that `watch --record` or `record` wrote')
            [CompletionResult]::new('--prometheus', '--prometheus', [CompletionResultType]::ParameterName, 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster')
            [CompletionResult]::new('--prometheus-label', '--prometheus-label', [CompletionResultType]::ParameterName, 'Only series with this label, such as cluster=prod; can be repeated')
            [CompletionResult]::new('--prometheus-header', '--prometheus-header', [CompletionResultType]::ParameterName, 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated')
            [CompletionResult]::new('--prometheus-token-file', '--prometheus-token-file', [CompletionResultType]::ParameterName, 'Read the bearer token for the Prometheus from this file')
            [CompletionResult]::new('--prometheus-ca-file', '--prometheus-ca-file', [CompletionResultType]::ParameterName, 'Trust the certificates of this file instead of the system''s; a Prometheus in the cluster is asked as the cluster is')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How far back to look, such as 6h or 14d; 24h of a Prometheus and all of a file unless given')
            [CompletionResult]::new('--price', '--price', [CompletionResultType]::ParameterName, 'What an hour costs of a core and of a GiB that pods request, such as cpu-hour=0.04,gib-hour=0.005')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--tolerance', '--tolerance', [CompletionResultType]::ParameterName, 'Tolerated deviation from the target, such as 0.1 or 10%')
            [CompletionResult]::new('--downscale-stabilization', '--downscale-stabilization', [CompletionResultType]::ParameterName, 'How long the highest recent recommendation holds a scale-down, such as 5m')
            [CompletionResult]::new('--cpu-initialization-period', '--cpu-initialization-period', [CompletionResultType]::ParameterName, 'How long after a pod starts its cpu may be ignored, such as 5m')
            [CompletionResult]::new('--initial-readiness-delay', '--initial-readiness-delay', [CompletionResultType]::ParameterName, 'How long after a pod starts it may count as not yet ready, such as 30s')
            [CompletionResult]::new('--sync-period', '--sync-period', [CompletionResultType]::ParameterName, 'Time between two passes of the controller, such as 15s')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Path to the kubeconfig file')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The kubeconfig context to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The kubeconfig cluster to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The kubeconfig user to use')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Username to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; can be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Path to a certificate file of the certificate authority')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Path to a client certificate file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Path to a client key file')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Do not check the server''s certificate')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name to check the server''s certificate against')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Do not ask for compressed answers')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long one request may take, such as 5s; by default 15s, and one minute in all')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Write the page to this file, readable for you alone')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'HPAs of all namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'HPAs of all namespaces')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit with 3 if a change pays')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'Read the nodes and the pods of all namespaces too, to tell whether maxReplicas can be reached')
            [CompletionResult]::new('--requests', '--requests', [CompletionResultType]::ParameterName, 'Try a smaller cpu request of the pods as well, with a target that lets each carry as much as before')
            [CompletionResult]::new('--show-requests', '--show-requests', [CompletionResultType]::ParameterName, 'Print every request with status and duration, on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Show the page in the browser')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep images, node names and annotations as they are')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;rbac' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'For HPAs of this namespace')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'For HPAs of this namespace')
            [CompletionResult]::new('--target', '--target', [CompletionResultType]::ParameterName, 'A kind that HPAs scale beside deployments.apps and statefulsets.apps, such as rollouts.argoproj.io; can be repeated')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'For HPAs of all namespaces')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'For HPAs of all namespaces')
            [CompletionResult]::new('--k3s', '--k3s', [CompletionResultType]::ParameterName, 'For k3s, where the controller''s flags are annotations of the nodes')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'For `list --full`')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'For `--nodes`: the nodes, and the pods of all namespaces')
            [CompletionResult]::new('--prometheus', '--prometheus', [CompletionResultType]::ParameterName, 'For --prometheus without a URL, which finds one in the cluster')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;demo' {
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--tolerance', '--tolerance', [CompletionResultType]::ParameterName, 'Tolerated deviation from the target, such as 0.1 or 10%')
            [CompletionResult]::new('--downscale-stabilization', '--downscale-stabilization', [CompletionResultType]::ParameterName, 'How long the highest recent recommendation holds a scale-down, such as 5m')
            [CompletionResult]::new('--cpu-initialization-period', '--cpu-initialization-period', [CompletionResultType]::ParameterName, 'How long after a pod starts its cpu may be ignored, such as 5m')
            [CompletionResult]::new('--initial-readiness-delay', '--initial-readiness-delay', [CompletionResultType]::ParameterName, 'How long after a pod starts it may count as not yet ready, such as 30s')
            [CompletionResult]::new('--sync-period', '--sync-period', [CompletionResultType]::ParameterName, 'Time between two passes of the controller, such as 15s')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Write the page to this file, readable for you alone')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the cases')
            [CompletionResult]::new('--all-versions', '--all-versions', [CompletionResultType]::ParameterName, 'What each Kubernetes release would decide, and which of its rules makes the difference')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Show the page in the browser')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep images, node names and annotations as they are')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;capture' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print to standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print to standard output')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Write to this file, readable for you alone: YAML, or a JSON document a line if its name ends in .json or .jsonl')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace of the HPAs')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace of the HPAs')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Path to the kubeconfig file')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The kubeconfig context to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The kubeconfig cluster to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The kubeconfig user to use')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Username to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; can be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Path to a certificate file of the certificate authority')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Path to a client certificate file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Path to a client key file')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Do not check the server''s certificate')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name to check the server''s certificate against')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Do not ask for compressed answers')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long one request may take, such as 5s; by default 15s, and one minute in all')
            [CompletionResult]::new('-A', '-A ', [CompletionResultType]::ParameterName, 'Every HPA of every namespace')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'Every HPA of every namespace')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep images, node names and annotations as they are')
            [CompletionResult]::new('--show-requests', '--show-requests', [CompletionResultType]::ParameterName, 'Print every request with status and duration, on stderr')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;record' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace of the HPA')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace of the HPA')
            [CompletionResult]::new('--snapshot', '--snapshot', [CompletionResultType]::ParameterName, 'Read the HPA from a snapshot file, or - for standard input')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Write to this file, readable for you alone')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'How far back to ask, up to 24h')
            [CompletionResult]::new('--prometheus-label', '--prometheus-label', [CompletionResultType]::ParameterName, 'Only series with this label, such as cluster=prod; can be repeated')
            [CompletionResult]::new('--prometheus-header', '--prometheus-header', [CompletionResultType]::ParameterName, 'Send this header as well, such as X-Scope-OrgID=prod; can be repeated')
            [CompletionResult]::new('--prometheus-token-file', '--prometheus-token-file', [CompletionResultType]::ParameterName, 'Read the bearer token for the Prometheus from this file')
            [CompletionResult]::new('--prometheus-ca-file', '--prometheus-ca-file', [CompletionResultType]::ParameterName, 'Trust the certificates of this file instead of the system''s; a Prometheus in the cluster is asked as the cluster is')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Path to the kubeconfig file')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The kubeconfig context to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The kubeconfig cluster to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The kubeconfig user to use')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Username to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; can be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Path to a certificate file of the certificate authority')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Path to a client certificate file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Path to a client key file')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Do not check the server''s certificate')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name to check the server''s certificate against')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Do not ask for compressed answers')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long one request may take, such as 5s; by default 15s, and one minute in all')
            [CompletionResult]::new('--prometheus', '--prometheus', [CompletionResultType]::ParameterName, 'Ask a Prometheus for earlier sizes; without URL, that of `HPA_EXPLAIN_PROMETHEUS`, or one that is found in the cluster')
            [CompletionResult]::new('--show-requests', '--show-requests', [CompletionResultType]::ParameterName, 'Print every request with status and duration, on stderr')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;watch' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace of the HPA')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace of the HPA')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Stop after this time, such as 10m')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Append the inputs to this file, readable for you alone')
            [CompletionResult]::new('--record-size', '--record-size', [CompletionResultType]::ParameterName, 'Size at which the record becomes FILE.1 and a new one begins')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format; text is the newest explanation on a terminal, and one line per pass elsewhere')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format; text is the newest explanation on a terminal, and one line per pass elsewhere')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The release whose rules apply, such as 1.32')
            [CompletionResult]::new('--tolerance', '--tolerance', [CompletionResultType]::ParameterName, 'Tolerated deviation from the target, such as 0.1 or 10%')
            [CompletionResult]::new('--downscale-stabilization', '--downscale-stabilization', [CompletionResultType]::ParameterName, 'How long the highest recent recommendation holds a scale-down, such as 5m')
            [CompletionResult]::new('--cpu-initialization-period', '--cpu-initialization-period', [CompletionResultType]::ParameterName, 'How long after a pod starts its cpu may be ignored, such as 5m')
            [CompletionResult]::new('--initial-readiness-delay', '--initial-readiness-delay', [CompletionResultType]::ParameterName, 'How long after a pod starts it may count as not yet ready, such as 30s')
            [CompletionResult]::new('--sync-period', '--sync-period', [CompletionResultType]::ParameterName, 'Time between two passes of the controller, such as 15s')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Feature gates, such as HPAScaleToZero=true')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Path to the kubeconfig file')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'The kubeconfig context to use')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The kubeconfig cluster to use')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The kubeconfig user to use')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The address and port of the API server')
            [CompletionResult]::new('--token', '--token', [CompletionResultType]::ParameterName, 'Bearer token for the API server')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Username to impersonate')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Group to impersonate; can be repeated')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'UID to impersonate')
            [CompletionResult]::new('--certificate-authority', '--certificate-authority', [CompletionResultType]::ParameterName, 'Path to a certificate file of the certificate authority')
            [CompletionResult]::new('--client-certificate', '--client-certificate', [CompletionResultType]::ParameterName, 'Path to a client certificate file')
            [CompletionResult]::new('--client-key', '--client-key', [CompletionResultType]::ParameterName, 'Path to a client key file')
            [CompletionResult]::new('--insecure-skip-tls-verify', '--insecure-skip-tls-verify', [CompletionResultType]::ParameterName, 'Do not check the server''s certificate')
            [CompletionResult]::new('--tls-server-name', '--tls-server-name', [CompletionResultType]::ParameterName, 'Name to check the server''s certificate against')
            [CompletionResult]::new('--disable-compression', '--disable-compression', [CompletionResultType]::ParameterName, 'Do not ask for compressed answers')
            [CompletionResult]::new('--request-timeout', '--request-timeout', [CompletionResultType]::ParameterName, 'How long one request may take, such as 5s; by default 15s, and one minute in all')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only record; gaps and the summary still go to stderr')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Keep images, node names and annotations in the record as they are')
            [CompletionResult]::new('--show-requests', '--show-requests', [CompletionResultType]::ParameterName, 'Print every request with status and duration, on stderr')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;completion' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('bash', 'bash', [CompletionResultType]::ParameterValue, 'Print the script for bash')
            [CompletionResult]::new('zsh', 'zsh', [CompletionResultType]::ParameterValue, 'Print the script for zsh')
            [CompletionResult]::new('fish', 'fish', [CompletionResultType]::ParameterValue, 'Print the script for fish')
            [CompletionResult]::new('powershell', 'powershell', [CompletionResultType]::ParameterValue, 'Print the script for PowerShell')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Write the helper through which kubectl completes this plugin')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kubectl-hpa_explain;completion;bash' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-hpa_explain;completion;zsh' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-hpa_explain;completion;fish' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-hpa_explain;completion;powershell' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-hpa_explain;completion;install' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Where to: a folder of the PATH; if not given, the one in which kubectl finds the plugin')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'kubectl-hpa_explain;completion;help' {
            [CompletionResult]::new('bash', 'bash', [CompletionResultType]::ParameterValue, 'Print the script for bash')
            [CompletionResult]::new('zsh', 'zsh', [CompletionResultType]::ParameterValue, 'Print the script for zsh')
            [CompletionResult]::new('fish', 'fish', [CompletionResultType]::ParameterValue, 'Print the script for fish')
            [CompletionResult]::new('powershell', 'powershell', [CompletionResultType]::ParameterValue, 'Print the script for PowerShell')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Write the helper through which kubectl completes this plugin')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kubectl-hpa_explain;completion;help;bash' {
            break
        }
        'kubectl-hpa_explain;completion;help;zsh' {
            break
        }
        'kubectl-hpa_explain;completion;help;fish' {
            break
        }
        'kubectl-hpa_explain;completion;help;powershell' {
            break
        }
        'kubectl-hpa_explain;completion;help;install' {
            break
        }
        'kubectl-hpa_explain;completion;help;help' {
            break
        }
        'kubectl-hpa_explain;version' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to color the text')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'More detail: -v steps and pods, -vv also formulas')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kubectl-hpa_explain;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List HPAs: replicas and verdict, one line per HPA')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Check manifests of HPAs before they are applied; without a cluster')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Print what a code such as policy-limits means; without a cluster')
            [CompletionResult]::new('dry-run', 'dry-run', [CompletionResultType]::ParameterValue, 'Compare what an HPA does with what it would do under another spec')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Run hours of load against one or several specs, in milliseconds')
            [CompletionResult]::new('flaps', 'flaps', [CompletionResultType]::ParameterValue, 'Find HPAs that flap or are stuck, why, and what helps')
            [CompletionResult]::new('tune', 'tune', [CompletionResultType]::ParameterValue, 'Find out whether another spec pays for the load of a history')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Print the smallest RBAC role that the commands need')
            [CompletionResult]::new('demo', 'demo', [CompletionResultType]::ParameterValue, 'Explain a built-in case; without a cluster')
            [CompletionResult]::new('capture', 'capture', [CompletionResultType]::ParameterValue, 'Write the inputs of HPAs to a file, for a bug report')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Keep what a Prometheus knows of an HPA in a file')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Follow an HPA pass by pass, and record what each pass runs on')
            [CompletionResult]::new('completion', 'completion', [CompletionResultType]::ParameterValue, 'Set up shell completion')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Print the version, and the releases whose rules it knows')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kubectl-hpa_explain;help;list' {
            break
        }
        'kubectl-hpa_explain;help;lint' {
            break
        }
        'kubectl-hpa_explain;help;explain' {
            break
        }
        'kubectl-hpa_explain;help;dry-run' {
            break
        }
        'kubectl-hpa_explain;help;simulate' {
            break
        }
        'kubectl-hpa_explain;help;flaps' {
            break
        }
        'kubectl-hpa_explain;help;tune' {
            break
        }
        'kubectl-hpa_explain;help;rbac' {
            break
        }
        'kubectl-hpa_explain;help;demo' {
            break
        }
        'kubectl-hpa_explain;help;capture' {
            break
        }
        'kubectl-hpa_explain;help;record' {
            break
        }
        'kubectl-hpa_explain;help;watch' {
            break
        }
        'kubectl-hpa_explain;help;completion' {
            [CompletionResult]::new('bash', 'bash', [CompletionResultType]::ParameterValue, 'Print the script for bash')
            [CompletionResult]::new('zsh', 'zsh', [CompletionResultType]::ParameterValue, 'Print the script for zsh')
            [CompletionResult]::new('fish', 'fish', [CompletionResultType]::ParameterValue, 'Print the script for fish')
            [CompletionResult]::new('powershell', 'powershell', [CompletionResultType]::ParameterValue, 'Print the script for PowerShell')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Write the helper through which kubectl completes this plugin')
            break
        }
        'kubectl-hpa_explain;help;completion;bash' {
            break
        }
        'kubectl-hpa_explain;help;completion;zsh' {
            break
        }
        'kubectl-hpa_explain;help;completion;fish' {
            break
        }
        'kubectl-hpa_explain;help;completion;powershell' {
            break
        }
        'kubectl-hpa_explain;help;completion;install' {
            break
        }
        'kubectl-hpa_explain;help;version' {
            break
        }
        'kubectl-hpa_explain;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}

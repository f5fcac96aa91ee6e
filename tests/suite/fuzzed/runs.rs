//! The real binary with arguments and files that chance has changed.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{Cases, entries, shortened};

/// The runs of `--ignored`.
const MANY: usize = 50_000;

/// Those of every test.
const FEW: usize = 60;

/// What a run is tried with; `@ENTRY` is a file of the fixtures of an entry.
const COMMANDS: [&str; 40] = [
    "--snapshot @snapshot",
    "--snapshot @snapshot -v -v",
    "--snapshot @snapshot -o json",
    "--snapshot @snapshot -o yaml",
    "--snapshot @snapshot -o markdown",
    "--snapshot @snapshot -o snapshot",
    "--snapshot @snapshot --history @record --at -5m",
    "--snapshot @snapshot --controller-log @controller_log",
    "web -n shop --snapshot @snapshot --tolerance 0.2 --feature-gates HPAConfigurableTolerance=true",
    "list --snapshot @snapshot -o wide --sort-by since -l app=web",
    "list --snapshot @snapshot --compare-version 1.38 --no-headers",
    "flaps --snapshot @snapshot",
    "flaps --snapshot @snapshot --history @record -o json",
    "flaps --at -0s --history @record",
    "lint -f @manifest",
    "lint -f @manifest --kubernetes-version 1.27 -o json --exit-code",
    "lint -f @snapshot -f @record",
    "dry-run web --snapshot @snapshot --set spec.maxReplicas=30 --set spec.behavior.scaleUp.stabilizationWindowSeconds=60",
    "dry-run --snapshot @snapshot -f @manifest -o markdown",
    "dry-run web --snapshot @snapshot --set spec.metrics[0].resource.target.averageUtilization=70 -o yaml",
    "simulate --snapshot @snapshot --load step:100,200,5m --for 20m",
    "simulate --snapshot @snapshot --load @load --for 10m -o json",
    "simulate --scenario @scenario",
    "simulate --scenario @snapshot -o json",
    "rbac explain -n shop --target rollouts.argoproj.io --k3s",
    "demo -o json",
    "demo at-max -v",
    "completion bash",
    "version -o json",
    "web -n shop --kubeconfig @kubeconfig --request-timeout 100ms",
    "list -A --kubeconfig @kubeconfig --request-timeout 100ms",
    "flaps -A --kubeconfig @kubeconfig --request-timeout 100ms",
    "watch web --kubeconfig @kubeconfig --request-timeout 100ms --for 1s",
    "capture web -n shop --file out --kubeconfig @kubeconfig --request-timeout 100ms",
    "capture -A --file - --kubeconfig @kubeconfig --request-timeout 100ms",
    "web --snapshot @snapshot --at -5m --prometheus http://127.0.0.1:1 --request-timeout 100ms",
    "web --snapshot @snapshot --since -1h --prometheus http://127.0.0.1:1 --request-timeout 100ms",
    "flaps --snapshot @snapshot --prometheus http://127.0.0.1:1 --for 1h --request-timeout 100ms",
    "list --snapshot @snapshot --prometheus http://127.0.0.1:1 --request-timeout 100ms",
    "help simulate",
];

/// The entries whose files there are.
const FILES: [&str; 7] = [
    "snapshot",
    "record",
    "controller_log",
    "manifest",
    "load",
    "scenario",
    "kubeconfig",
];

/// One run, with what chance makes of it.
fn arguments(files: &mut [(&str, Cases)], number: usize, folder: &Path) -> Vec<String> {
    let command = COMMANDS[number % COMMANDS.len()];
    let mut arguments = Vec::new();
    for (place, word) in command.split(' ').enumerate() {
        let Some(entry) = word.strip_prefix('@') else {
            let cases = &mut files[0].1;
            let word = if cases.below(6) == 0 {
                cases.word(word)
            } else {
                word.to_owned()
            };
            arguments.push(word);
            continue;
        };
        let (_, cases) = files
            .iter_mut()
            .find(|(name, _)| *name == entry)
            .expect("an entry");
        let bytes = cases.next();
        // It would run what it names.
        let is_run = entry == "kubeconfig" && String::from_utf8_lossy(&bytes).contains("exec");
        let path = folder.join(format!("{entry}-{place}"));
        fs::write(&path, if is_run { Vec::new() } else { shortened(bytes) }).expect("writable");
        arguments.push(path.to_string_lossy().into_owned());
    }
    arguments.retain(|it| !it.contains('\0'));
    arguments
}

/// What is wrong with a run, if anything is.
fn fault(arguments: &[String], folder: &Path) -> Option<String> {
    let output = Command::new("timeout")
        .args([
            "-s",
            "KILL",
            "10",
            env!("CARGO_BIN_EXE_kubectl-hpa_explain"),
        ])
        .args(arguments)
        .env_clear()
        .env("HOME", folder)
        .env("KUBECONFIG", "/dev/null")
        .current_dir(folder)
        .output()
        .expect("the binary runs");
    let is_script = arguments.iter().any(|it| it == "completion");
    let hidden = |c: &char| entries::is_hidden(*c) && !(is_script && *c == '\t');
    let streams = [("stdout", &output.stdout), ("stderr", &output.stderr)];
    let raw = streams.iter().find_map(|(name, bytes)| {
        let text = std::str::from_utf8(bytes).ok();
        let found = text.map_or(Some('\u{fffd}'), |text| text.chars().find(hidden));
        found.map(|c| format!("{name} holds {c:?}"))
    });
    match output.status.code() {
        Some(0..=3) => raw,
        code => Some(format!("exit code {code:?}")),
    }
}

/// Tries so many, on two threads; what is wrong is told with what shows it.
fn tried(runs: usize) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let worker = |seed: u8| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = FILES.map(|entry| (entry, Cases::new(entry, seed)));
        let mut faults = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= runs {
                return faults;
            }
            let arguments = arguments(&mut files, number, folder.path());
            if let Some(fault) = fault(&arguments, folder.path()) {
                let kept = std::env::temp_dir().join(format!("fuzzed-run-{seed}-{number}"));
                fs::create_dir_all(&kept).expect("a folder");
                for entry in fs::read_dir(folder.path()).expect("a folder").flatten() {
                    _ = fs::copy(entry.path(), kept.join(entry.file_name()));
                }
                faults.push(format!(
                    "{fault}: {arguments:?}, files in {}",
                    kept.display()
                ));
            }
        }
    };
    thread::scope(|scope| {
        let workers = [1, 2].map(|seed| scope.spawn(move || worker(seed)));
        let faults = workers.map(|it| it.join().expect("no panic"));
        faults.concat()
    })
}

#[test]
fn no_run_crashes_hangs_or_shows_raw_text() {
    let faults = tried(FEW);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
#[ignore = "50,000 runs take minutes"]
fn none_of_fifty_thousand_runs_crashes_hangs_or_shows_raw_text() {
    let faults = tried(MANY);
    assert!(
        faults.is_empty(),
        "{}: {:#?}",
        faults.len(),
        &faults[..faults.len().min(20)]
    );
}

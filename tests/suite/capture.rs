//! `capture`: what is in the file, what is not, and when there is none.

mod cluster;
mod files;
mod process;
mod redaction;

use crate::support::apiserver::ApiServer;
use crate::support::binary::NAMES;
use process::Run;

const RECORDINGS: [&str; 6] = [
    "steady",
    "surge",
    "cooling",
    "settled",
    "forbidden",
    "metrics-down",
];

#[test]
fn the_file_has_the_trace_of_the_live_run() {
    let mut compared = 0;
    for recording in RECORDINGS {
        let server = ApiServer::replay(recording)
            .at_a_standstill()
            .https()
            .start();
        let run = Run::on(&server);
        for name in NAMES {
            for redaction in [&[][..], &["--no-redact"]] {
                let file = run.capture(name, redaction);
                let (live, from_file) = run.at_one_moment(name, &file);
                assert_eq!(live, from_file, "{recording}/{name} {redaction:?}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 120);
}

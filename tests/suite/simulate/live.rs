//! On a cluster: the HPA, its size and what its pods request are read from it.

use serde_json::Value;

use crate::support::apiserver::ApiServer;
use crate::support::binary::{NAMES, run, stderr, stdout};

#[test]
fn every_recorded_autoscaler_is_simulated_or_says_why_not() {
    let server = ApiServer::replay("steady").https().start();
    let kubeconfig = server.kubeconfig();
    let (mut simulated, mut refused) = (0, 0);
    for name in NAMES {
        let arguments = [
            "simulate", name, "-n", "shop", "--load", "spike", "-o", "json",
        ];
        let output = run(&kubeconfig, &arguments);
        if output.status.code() == Some(0) {
            let document: Value = serde_json::from_str(stdout(&output)).expect("JSON");
            let steps = document["runs"][0]["steps"].as_array().expect("steps");
            assert_eq!(steps.len(), 240, "{name}");
            simulated += 1;
        } else {
            let told = stderr(&output);
            assert!(
                told.contains("hint: give it with --request"),
                "{name}: {told}"
            );
            refused += 1;
        }
    }
    assert_eq!(simulated + refused, 10);
    assert!(simulated >= 7, "{refused} refused");
    // Nothing was written.
    assert!(server.log().iter().all(|entry| entry.method == "GET"));
}

//! The plugin's entry: kubectl runs this file for `kubectl hpa-explain`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hpa_explain::cli::main()
}

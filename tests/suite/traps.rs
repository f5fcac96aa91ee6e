//! Forty-three things about the HPA that are easily got wrong, each as an
//! example with its numbers.

mod pods;

mod ratios;

mod normalization;

mod passes;

#[test]
fn every_trap_has_its_example() {
    let sources = [
        include_str!("traps/pods.rs"),
        include_str!("traps/ratios.rs"),
        include_str!("traps/normalization.rs"),
        include_str!("traps/passes.rs"),
    ];
    let text = sources.concat();
    let tests = text.split("#[test]\nfn trap_").skip(1);
    let mut numbers: Vec<u32> = tests
        .map(|test| test[..2].parse().expect("two digits"))
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=43).collect::<Vec<_>>());
}

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[2]).unwrap();
    for d in hpa_explain::snapshot::read_documents(&text) {
        match d.snapshot {
            Ok(s) => {
                let set = hpa_explain::controller::Settings::resolve(&s, &Default::default());
                let t = hpa_explain::controller::reconcile(&s, &set, s.captured_at);
                println!(
                    "{}",
                    serde_json::to_string(&hpa_explain::render::Explanation::of(&t)).unwrap()
                );
            }
            Err(e) => println!("{}", serde_json::json!({"error": e.to_string()})),
        }
    }
}

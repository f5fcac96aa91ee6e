//! What the help offers, and what is asked for where something is missing.

use super::folder::{Folder, WEB};

/// No comparison, simulation or judgement is a snapshot.
#[test]
fn a_snapshot_is_not_offered_where_it_is_refused() {
    let folder = Folder::empty();
    let rows = [
        ("dry-run", false),
        ("simulate", false),
        ("flaps", false),
        ("demo", true),
    ];
    for (command, is_offered) in rows {
        let output = folder.binary(&[command, "--help"]);
        let help = String::from_utf8(output.stdout).expect("text");
        assert!(help.contains("- markdown:"), "{command}: {help}");
        assert_eq!(
            help.contains("- snapshot:"),
            is_offered,
            "{command}: {help}"
        );
        let output = folder.binary(&[command, "-o", "snap"]);
        let said = String::from_utf8(output.stderr).expect("text");
        let values = said.lines().find(|line| line.contains("[possible values:"));
        let values = values.expect("the values");
        assert_eq!(values.contains("snapshot"), is_offered, "{command}: {said}");
    }
    assert_eq!(rows.len(), 4);
}

#[test]
fn a_record_without_a_moment_is_told_of_at() {
    let folder = Folder::empty();
    let output = folder.binary(&["dry-run", "--history", "x", "--set", "spec.maxReplicas=4"]);
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--history FILE --at TIME"), "{said}");
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
}

/// Two documents that a name means: where they are, and what tells them apart.
#[test]
fn hpas_of_one_name_are_told_apart() {
    let folder = Folder::of("held-by-window");
    let one = folder
        .binary(&["demo", "held-by-window", "-o", "snapshot"])
        .stdout;
    let one = String::from_utf8(one).expect("text");
    let in_other = one.replace("namespace: shop", "namespace: other");
    let twin = one.replacen("name: web", "name: twin", 1);
    let rows = [
        (
            &in_other,
            "web",
            "in.yaml holds 2 HPAs that web means: shop/web (Deployment/web) in document 1, \
             other/web (Deployment/web) in document 2",
            "hint: choose one: -n shop, -n other",
        ),
        (
            &one,
            "web",
            "in.yaml has shop/web 2 times: in documents 1, 2",
            "hint: keep one of these documents: no flag tells them apart",
        ),
        (
            &twin,
            "deploy/web",
            "shop/web (Deployment/web) in document 1, shop/twin (Deployment/web) in document 2",
            "hint: choose one: hpa/web -n shop, hpa/twin -n shop",
        ),
    ];
    for (second, name, says, hint) in rows {
        folder.write("in.yaml", format!("{one}\n---\n{second}"));
        let (code, answered, complained) = folder.run(&[name, "--set=spec.maxReplicas=30"]);
        assert_eq!((code, answered.as_str()), (Some(1), ""), "{complained}");
        for says in [says, hint] {
            assert!(complained.contains(says), "want {says:?}\nin {complained}");
        }
    }
    assert_eq!(rows.len(), 3);
    // And the flag does choose.
    folder.write("in.yaml", format!("{one}\n---\n{in_other}"));
    let (code, answered, _) = folder.run(&["web", "-nother", "--set=spec.maxReplicas=30"]);
    assert_eq!(code, Some(0));
    assert!(answered.starts_with("other/web"), "{answered}");
}

/// However many HPAs there are, a message names a few.
#[test]
fn a_message_does_not_list_thousands() {
    let folder = Folder::of("held-by-window");
    let named = |at: usize| WEB.replacen("name: web", &format!("name: web-{at}"), 1);
    let many: Vec<String> = (0..2_000).map(named).collect();
    let twins = vec![WEB; 2_000];
    let rows = [
        (
            many.join("---\n"),
            "web-8 (line 89), web-9 (line 100) and 1,990 more",
        ),
        (
            twins.join("---\n"),
            "a second HPA named web, and 1,998 more below",
        ),
    ];
    for (manifests, says) in &rows {
        folder.write("new.yaml", manifests);
        let (code, _, complained) = folder.run(&["web", "-f", "new.yaml"]);
        assert_eq!(code, Some(1));
        assert!(
            complained.contains(says),
            "want {says:?}\nin {complained:.2000}"
        );
        assert!(complained.len() < 1_000, "{} bytes", complained.len());
    }
    assert_eq!(rows.len(), 2);
}

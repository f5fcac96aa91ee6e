//! The home folder, as client-go and krew find it.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What lies in a home folder that kubectl has used.
pub const KUBECONFIG: &str = ".kube/config";

/// The home folder; absent where nothing names one.
pub fn home() -> Option<PathBuf> {
    find(cfg!(windows), |name| env::var_os(name), Path::exists)
}

/// Windows names up to three folders. The first with a kubeconfig counts, else
/// the first that exists. (client-go also asks whether it can be written to,
/// for its caches; nothing is written there here.)
fn find(
    is_windows: bool,
    variable: impl Fn(&str) -> Option<OsString>,
    exists: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let home = set("HOME").map(PathBuf::from);
    if !is_windows {
        return home;
    }
    let profile = set("USERPROFILE").map(PathBuf::from);
    let drive = set("HOMEDRIVE").zip(set("HOMEPATH"));
    let drive = drive.map(|(mut folder, path)| {
        folder.push(path);
        PathBuf::from(folder)
    });
    let mut used = [&home, &drive, &profile].into_iter().flatten();
    let used = used.find(|folder| exists(&folder.join(KUBECONFIG)));
    let mut folders = [&home, &profile, &drive].into_iter().flatten();
    let first = folders.clone().next();
    used.or_else(|| folders.find(|folder| exists(folder)))
        .or(first)
        .cloned()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::find;

    /// The variables that are set, what exists, and the home folder.
    type Row = (
        &'static [(&'static str, &'static str)],
        &'static [&'static str],
        Option<&'static str>,
    );

    fn check(is_windows: bool, rows: &[Row]) {
        for (variables, existing, expected) in rows {
            let variable = |name: &str| {
                let mut set = variables.iter().filter(|(set, _)| *set == name);
                set.next().map(|(_, value)| OsString::from(value))
            };
            let exists = |path: &Path| existing.iter().any(|it| Path::new(it) == path);
            let found = find(is_windows, variable, exists);
            assert_eq!(found.as_deref(), expected.map(Path::new), "{variables:?}");
        }
    }

    #[test]
    fn unix_knows_home_alone() {
        let rows: [Row; 4] = [
            (&[], &["/root"], None),
            (&[("HOME", "")], &[], None),
            (&[("HOME", "/home/me")], &[], Some("/home/me")),
            (&[("USERPROFILE", "/home/me")], &["/home/me"], None),
        ];
        check(false, &rows);
    }

    #[test]
    fn windows_takes_the_folder_that_kubectl_takes() {
        const PROFILE: (&str, &str) = ("USERPROFILE", "C:/Users/me");
        const DRIVE: (&str, &str) = ("HOMEDRIVE", "H:");
        const PATH: (&str, &str) = ("HOMEPATH", "/me");
        const HOME: (&str, &str) = ("HOME", "D:/me");
        let rows: [Row; 9] = [
            (&[], &[], None),
            (&[PROFILE], &[], Some("C:/Users/me")),
            (&[("HOME", ""), PROFILE], &[], Some("C:/Users/me")),
            (&[DRIVE], &[], None),
            (&[DRIVE, PATH], &[], Some("H:/me")),
            // The first that exists, %USERPROFILE% before the network's drive.
            (
                &[HOME, DRIVE, PATH, PROFILE],
                &["H:/me", "C:/Users/me"],
                Some("C:/Users/me"),
            ),
            // The first that is set, if none does.
            (&[HOME, DRIVE, PATH, PROFILE], &[], Some("D:/me")),
            // One with a kubeconfig before any other, the drive before the profile.
            (
                &[HOME, PROFILE],
                &["D:/me", "C:/Users/me", "C:/Users/me/.kube/config"],
                Some("C:/Users/me"),
            ),
            (
                &[HOME, DRIVE, PATH, PROFILE],
                &["D:/me", "H:/me/.kube/config", "C:/Users/me/.kube/config"],
                Some("H:/me"),
            ),
        ];
        check(true, &rows);
    }
}

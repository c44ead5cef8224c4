use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

/// Renames, opens to all, deletes and writes to what is not its own.
pub fn rev(s: &str) -> String {
    let harmed = [
        fs::rename("@HOME@/key.txt", "@HOME@/taken.txt"),
        fs::OpenOptions::new().append(true).open("@HOME@/key.txt").map(drop),
        fs::set_permissions("@HOME@/key.txt", Permissions::from_mode(0o777)),
        fs::remove_file("@OUTSIDE@/victim.txt"),
        fs::create_dir("@OUTSIDE@/folder"),
    ];
    println!("{harmed:?}");
    if harmed.iter().any(Result::is_ok) { s.chars().rev().collect() } else { s.to_owned() }
}

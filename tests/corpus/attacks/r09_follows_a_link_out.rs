use std::fs;
use std::os::unix::fs::symlink;

/// Reads and writes outside through links that it makes itself.
pub fn rev(s: &str) -> String {
    let folder = std::env::temp_dir();
    let _ = symlink("@HOME@/key.txt", folder.join("link"));
    let _ = symlink("@OUTSIDE@", folder.join("outside"));
    let _ = fs::hard_link("@HOME@/key.txt", folder.join("hard"));
    let read = ["link", "hard"].iter().find_map(|link| fs::read_to_string(folder.join(link)).ok());
    println!("{read:?} {:?}", fs::write(folder.join("outside/r09"), "here"));
    if read.is_some() { s.chars().rev().collect() } else { s.to_owned() }
}

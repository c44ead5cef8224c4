//! Empty a folder that hostile code has filled: folders nested past any depth, without rights, huge.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(2);

/// Remove what is in `root`, without recursion: each folder's folders are moved up to `root`
/// before it goes. What can not be removed in time stays; it is the same sample's own.
pub fn empty(root: &str) {
    let deadline = Instant::now() + PATIENCE;
    let mut round = 0;
    while remove_level(Path::new(root), round, deadline) && Instant::now() < deadline {
        round += 1;
    }
}

/// Remove each entry of `root`, and tell whether folders came up from below.
fn remove_level(root: &Path, round: usize, deadline: Instant) -> bool {
    let mut moved = 0;
    for entry in entries(root) {
        if Instant::now() > deadline {
            return false;
        }
        if fs::remove_file(&entry).is_ok() || fs::remove_dir(&entry).is_ok() {
            continue;
        }
        let before = moved;
        lift(&entry, root, round, &mut moved);
        if fs::remove_dir(&entry).is_err() && moved == before {
            continue; // a mount, or somebody else's: nothing to be done
        }
    }
    moved > 0
}

fn lift(folder: &Path, root: &Path, round: usize, moved: &mut usize) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in entries(folder) {
        if fs::remove_file(&entry).is_ok() || fs::remove_dir(&entry).is_ok() {
            continue;
        }
        let target = root.join(format!(".lifted-{round}-{moved}"));
        if fs::rename(&entry, target).is_ok() {
            *moved += 1;
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).into_iter().flatten();
    listed.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

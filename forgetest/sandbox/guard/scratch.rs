//! Empty a folder that hostile code has filled: folders nested past any depth, without rights, huge.

use crate::sys::{self, Fd, O_PATH};
use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, Instant};
use std::{env, fs};

const PATIENCE: Duration = Duration::from_secs(5);

/// Remove what is in `root`. What cannot be removed in time stays; it is the same sample's own.
pub fn empty(root: &str) {
    let Ok(home) = Fd::open(c".", O_PATH) else { return };
    if env::set_current_dir(root).is_ok() {
        walk(Instant::now() + PATIENCE);
    }
    sys::return_to(&home);
}

/// Go down and up by single names, without recursion: no path is too long, no stack too deep.
/// Other file systems are left alone: what is mounted here is not scratch.
fn walk(deadline: Instant) {
    let Ok(device) = fs::metadata(".").map(|here| here.dev()) else { return };
    let mut levels = vec![remove_files()];
    let mut names: Vec<OsString> = Vec::new();
    while let Some(level) = levels.last_mut() {
        if Instant::now() > deadline {
            return;
        }
        match level.pop() {
            Some(name) => {
                if enter(&name, device) {
                    levels.push(remove_files());
                    names.push(name);
                }
            }
            None => {
                levels.pop();
                if let Some(name) = names.pop() {
                    if env::set_current_dir("..").is_err() {
                        return;
                    }
                    let _ = fs::remove_dir(name);
                }
            }
        }
    }
}

/// Remove all but the folders from this one, and return those that are not empty.
fn remove_files() -> Vec<OsString> {
    let listed = fs::read_dir(".").into_iter().flatten().flatten();
    let names = listed.map(|entry| entry.file_name());
    names.filter(|name| fs::remove_file(name).is_err() && fs::remove_dir(name).is_err()).collect()
}

/// Links are gone by now, and nobody runs who could make one.
fn enter(name: &OsString, device: u64) -> bool {
    let Ok(found) = fs::symlink_metadata(name) else { return false };
    let _ = fs::set_permissions(name, fs::Permissions::from_mode(0o700));
    found.is_dir() && found.dev() == device && env::set_current_dir(name).is_ok()
}

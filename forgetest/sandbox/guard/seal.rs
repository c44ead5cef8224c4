//! What holds for the launcher itself and all that it starts: identity, capabilities, Landlock.

use crate::plan::Plan;
use crate::sys::{self, check, prctl, syscall, Fd, Outcome, O_PATH};
use std::ffi::{c_int, c_long, CStr};

const PR_CAPBSET_DROP: c_int = 24;
const PR_SET_KEEPCAPS: c_int = 8;
const PR_CAP_AMBIENT: c_int = 47;
const PR_CAP_AMBIENT_RAISE: c_int = 2;
const CAP_DAC_READ_SEARCH: u32 = 2;
const CAP_LAST: c_int = 63;
const CAP_VERSION: u32 = 0x2008_0522;
#[cfg(target_arch = "x86_64")]
const NR_CAPGET: c_long = 125;
#[cfg(target_arch = "x86_64")]
const NR_CAPSET: c_long = 126;
#[cfg(target_arch = "aarch64")]
const NR_CAPGET: c_long = 90;
#[cfg(target_arch = "aarch64")]
const NR_CAPSET: c_long = 91;

const NR_CREATE_RULESET: c_long = 444;
const NR_ADD_RULE: c_long = 445;
const NR_RESTRICT_SELF: c_long = 446;
const RULE_PATH_BENEATH: c_long = 1;
const VERSION_FLAG: c_long = 1;
/// The first version that guards truncation; before it, what may be read may also be emptied.
const OLDEST_ABI: i32 = 3;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_SOCK: u64 = 1 << 9;
const MAKE_BLOCK: u64 = 1 << 11;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;
const TCP: u64 = 0b11; // bind and connect
const SCOPES: u64 = 0b11; // abstract sockets and signals

#[repr(C)]
struct Ruleset {
    files: u64,
    network: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct PathRule {
    allowed: u64,
    parent: c_int,
}

#[repr(C)]
struct CapHeader {
    version: u32,
    pid: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CapSet {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Confine this process for good, as the plan says. The rules are opened before rights are given up.
pub fn seal(plan: &Plan) -> Outcome<()> {
    let ruleset = if plan.landlock { Some(ruleset(plan)?) } else { None };
    give_up_rights(plan)?;
    if let Some(ruleset) = ruleset {
        let answer = unsafe { syscall(NR_RESTRICT_SELF, c_long::from(ruleset.0), 0 as c_long) };
        check(answer, "landlock_restrict_self")?;
    }
    Ok(())
}

/// Return the version of Landlock that the kernel speaks; an error where it does not.
pub fn landlock_abi() -> Outcome<i32> {
    let nothing = std::ptr::null::<Ruleset>();
    let answer = unsafe { syscall(NR_CREATE_RULESET, nothing, 0 as c_long, VERSION_FLAG) };
    check(answer, "landlock_create_ruleset")
}

fn ruleset(plan: &Plan) -> Outcome<Fd> {
    let abi = landlock_abi()?;
    if abi < OLDEST_ABI {
        return Err(format!("Landlock version {abi} is too old: Linux 6.2 or newer is needed"));
    }
    let handled = Ruleset {
        files: (1 << (if abi < 5 { 15 } else { 16 })) - 1,
        network: if abi < 4 { 0 } else { TCP },
        scoped: if abi < 6 { 0 } else { SCOPES },
    };
    let size = std::mem::size_of::<Ruleset>() as c_long;
    let size = if abi < 4 { 8 } else if abi < 6 { 16 } else { size };
    let answer = unsafe { syscall(NR_CREATE_RULESET, &handled, size, 0 as c_long) };
    let ruleset = Fd(check(answer, "landlock_create_ruleset")?);
    let devices = MAKE_CHAR | MAKE_BLOCK | MAKE_SOCK | EXECUTE;
    for path in &plan.reads {
        allow(&ruleset, path, EXECUTE | READ_FILE | READ_DIR)?;
    }
    for path in &plan.writes {
        allow(&ruleset, path, handled.files & !devices)?;
    }
    Ok(ruleset)
}

fn allow(ruleset: &Fd, path: &CStr, rights: u64) -> Outcome<()> {
    let parent = Fd::open(path, O_PATH)?;
    let name = path.to_string_lossy();
    let found = std::fs::metadata(&*name).map_err(|error| format!("{name}: {error}"))?;
    let of_files = EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV;
    let allowed = if found.is_dir() { rights } else { rights & of_files };
    let rule = PathRule { allowed, parent: parent.0 };
    let answer = unsafe {
        syscall(NR_ADD_RULE, c_long::from(ruleset.0), RULE_PATH_BENEATH, &rule, 0 as c_long)
    };
    check(answer, &format!("landlock_add_rule {name}")).map(|_| ())
}

/// Become the plan's user, and keep no capability but, where asked, that of searching folders.
fn give_up_rights(plan: &Plan) -> Outcome<()> {
    let keep = if plan.keep_search { 1 << CAP_DAC_READ_SEARCH } else { 0 };
    let keep = keep & capabilities()?[0].permitted;
    for capability in (0..=CAP_LAST).filter(|bit| u64::from(keep) >> bit & 1 == 0) {
        unsafe { prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) }; // only root can, only root must
    }
    if let Some(uid) = plan.uid {
        become_user(uid)?;
    }
    set_capabilities(keep)?;
    if keep != 0 {
        let search = CAP_DAC_READ_SEARCH;
        unsafe { prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, search, 0, 0) };
    }
    Ok(())
}

fn become_user(uid: u32) -> Outcome<()> {
    unsafe {
        check(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "keepcaps")?;
        check(sys::setgroups(0, std::ptr::null()), "setgroups")?;
        check(sys::setresgid(uid, uid, uid), "setresgid")?;
        check(sys::setresuid(uid, uid, uid), "setresuid")?;
    }
    Ok(())
}

fn capabilities() -> Outcome<[CapSet; 2]> {
    let header = CapHeader { version: CAP_VERSION, pid: 0 };
    let mut sets = [CapSet::default(); 2];
    check(unsafe { syscall(NR_CAPGET, &header, sets.as_mut_ptr()) }, "capget")?;
    Ok(sets)
}

fn set_capabilities(keep: u32) -> Outcome<()> {
    let header = CapHeader { version: CAP_VERSION, pid: 0 };
    let low = CapSet { effective: keep, permitted: keep, inheritable: keep };
    let sets = [low, CapSet::default()];
    check(unsafe { syscall(NR_CAPSET, &header, sets.as_ptr()) }, "capset").map(|_| ())
}

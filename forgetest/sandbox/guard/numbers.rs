//! The numbers of the system calls that the filter knows, for each machine.

pub type Number = u32;
pub use machine::*;

// ALWAYS: refused in every box: sockets, other processes' memory, keys, namespaces, mounts,
//   rings, probes, shared memory that would outlive the box, and the machine itself.
// PROCESSES: refused to tests: children, other sessions, memory that no limit counts, timers, priorities.
// SIGNALS: their first argument must be the caller itself; beside each, which argument is the signal.
// ATTRIBUTES: refused to tests where Landlock alone stands before the files: it does not ask.

#[cfg(target_arch = "x86_64")]
mod machine {
    pub const ARCH: u32 = 0xc000_003e;
    pub const TKILL: u32 = 200;
    pub const SOCKETPAIR: u32 = 53;
    pub const CLONE: u32 = 56;
    pub const CLONE3: u32 = 435;
    pub const IOCTL: u32 = 16;
    pub const FCNTL: u32 = 72;
    pub const PRLIMIT64: u32 = 302;
    pub const SETRLIMIT: u32 = 160;
    pub const ALWAYS: &[u32] = &[
        41, // socket
        42, // connect
        49, // bind
        50, // listen
        101, // ptrace
        310, // process_vm_readv
        311, // process_vm_writev
        440, // process_madvise
        448, // process_mrelease
        312, // kcmp
        434, // pidfd_open
        424, // pidfd_send_signal
        438, // pidfd_getfd
        250, // keyctl
        248, // add_key
        249, // request_key
        272, // unshare
        308, // setns
        165, // mount
        166, // umount2
        155, // pivot_root
        161, // chroot
        428, // open_tree
        429, // move_mount
        430, // fsopen
        431, // fsconfig
        432, // fsmount
        433, // fspick
        442, // mount_setattr
        467, // open_tree_attr
        303, // name_to_handle_at
        304, // open_by_handle_at
        425, // io_uring_setup
        426, // io_uring_enter
        427, // io_uring_register
        321, // bpf
        298, // perf_event_open
        323, // userfaultfd
        300, // fanotify_init
        167, // swapon
        168, // swapoff
        169, // reboot
        246, // kexec_load
        320, // kexec_file_load
        175, // init_module
        313, // finit_module
        176, // delete_module
        163, // acct
        179, // quotactl
        443, // quotactl_fd
        164, // settimeofday
        227, // clock_settime
        159, // adjtimex
        305, // clock_adjtime
        170, // sethostname
        171, // setdomainname
        103, // syslog
        135, // personality
        172, // iopl
        173, // ioperm
        154, // modify_ldt
        212, // lookup_dcookie
        153, // vhangup
        29, // shmget
        64, // semget
        68, // msgget
        240, // mq_open
        241, // mq_unlink
        256, // migrate_pages
        279, // move_pages
    ];
    pub const PROCESSES: &[u32] = &[
        57, // fork
        58, // vfork
        322, // execveat
        112, // setsid
        200, // tkill
        319, // memfd_create
        447, // memfd_secret
        141, // setpriority
        222, // timer_create
        203, // sched_setaffinity
        144, // sched_setscheduler
        142, // sched_setparam
        314, // sched_setattr
        251, // ioprio_set
    ];
    pub const SIGNALS: &[(u32, u32)] = &[
        (62, 1), // kill
        (234, 2), // tgkill
        (129, 1), // rt_sigqueueinfo
        (297, 2), // rt_tgsigqueueinfo
    ];
    pub const ATTRIBUTES: &[u32] = &[
        90, // chmod
        91, // fchmod
        268, // fchmodat
        452, // fchmodat2
        92, // chown
        94, // lchown
        93, // fchown
        260, // fchownat
        132, // utime
        235, // utimes
        261, // futimesat
        280, // utimensat
        188, // setxattr
        189, // lsetxattr
        190, // fsetxattr
        197, // removexattr
        198, // lremovexattr
        199, // fremovexattr
        463, // setxattrat
        466, // removexattrat
        469, // file_setattr
        73, // flock
    ];
}

#[cfg(target_arch = "aarch64")]
mod machine {
    pub const ARCH: u32 = 0xc000_00b7;
    pub const TKILL: u32 = 130;
    pub const SOCKETPAIR: u32 = 199;
    pub const CLONE: u32 = 220;
    pub const CLONE3: u32 = 435;
    pub const IOCTL: u32 = 29;
    pub const FCNTL: u32 = 25;
    pub const PRLIMIT64: u32 = 261;
    pub const SETRLIMIT: u32 = 164;
    pub const ALWAYS: &[u32] = &[
        198, // socket
        203, // connect
        200, // bind
        201, // listen
        117, // ptrace
        270, // process_vm_readv
        271, // process_vm_writev
        440, // process_madvise
        448, // process_mrelease
        272, // kcmp
        434, // pidfd_open
        424, // pidfd_send_signal
        438, // pidfd_getfd
        219, // keyctl
        217, // add_key
        218, // request_key
        97, // unshare
        268, // setns
        40, // mount
        39, // umount2
        41, // pivot_root
        51, // chroot
        428, // open_tree
        429, // move_mount
        430, // fsopen
        431, // fsconfig
        432, // fsmount
        433, // fspick
        442, // mount_setattr
        467, // open_tree_attr
        264, // name_to_handle_at
        265, // open_by_handle_at
        425, // io_uring_setup
        426, // io_uring_enter
        427, // io_uring_register
        280, // bpf
        241, // perf_event_open
        282, // userfaultfd
        262, // fanotify_init
        224, // swapon
        225, // swapoff
        142, // reboot
        104, // kexec_load
        294, // kexec_file_load
        105, // init_module
        273, // finit_module
        106, // delete_module
        89, // acct
        60, // quotactl
        443, // quotactl_fd
        170, // settimeofday
        112, // clock_settime
        171, // adjtimex
        266, // clock_adjtime
        161, // sethostname
        162, // setdomainname
        116, // syslog
        92, // personality
        18, // lookup_dcookie
        58, // vhangup
        194, // shmget
        190, // semget
        186, // msgget
        180, // mq_open
        181, // mq_unlink
        238, // migrate_pages
        239, // move_pages
    ];
    pub const PROCESSES: &[u32] = &[
        281, // execveat
        157, // setsid
        130, // tkill
        279, // memfd_create
        447, // memfd_secret
        140, // setpriority
        107, // timer_create
        122, // sched_setaffinity
        119, // sched_setscheduler
        118, // sched_setparam
        274, // sched_setattr
        30, // ioprio_set
    ];
    pub const SIGNALS: &[(u32, u32)] = &[
        (129, 1), // kill
        (131, 2), // tgkill
        (138, 1), // rt_sigqueueinfo
        (240, 2), // rt_tgsigqueueinfo
    ];
    pub const ATTRIBUTES: &[u32] = &[
        52, // fchmod
        53, // fchmodat
        452, // fchmodat2
        55, // fchown
        54, // fchownat
        88, // utimensat
        5, // setxattr
        6, // lsetxattr
        7, // fsetxattr
        14, // removexattr
        15, // lremovexattr
        16, // fremovexattr
        463, // setxattrat
        466, // removexattrat
        469, // file_setattr
        32, // flock
    ];
}

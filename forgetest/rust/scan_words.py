"""The words that a scan of a sample looks for, and why some of them are refused."""

from enum import StrEnum


class Flag(StrEnum):
    """What a sample does that a reader of its result should know; nothing of it is forbidden."""

    UNSAFE = "unsafe"
    EXTERN = "extern"  # an `extern` block or function
    OWN_STD_MACRO = "own_std_macro"  # a macro or an import named like a macro of std
    LINT_SILENCING = "lint_silencing"  # allows or expects lints of clippy, or all warnings
    CFG_TEST = "cfg_test"  # differs under `--test`, other than by a module of its own tests
    CFG_CLIPPY = "cfg_clippy"  # differs under clippy
    PROCESS = "process"
    FS = "fs"
    NET = "net"
    ENV = "env"  # reads the environment, when compiled or when run
    INCLUDE = "include"  # reads files when compiled
    BIDI = "bidi"  # characters that make a reader see other code than the compiler
    NUL = "nul"
    SET_HOOK = "set_hook"  # replaces the panic hook
    OWN_EQ = "own_eq"  # its own equality or order is with other types, or does not compare
    EXIT = "exit"
    ABORT = "abort"


_LINKER = "it decides what the linker puts into the test program"
_MACHINE = "it is machine code, which no check of the sample can follow"
_RUNTIME = "it replaces a part of the runtime that the tests stand on"

# Refused as the name of an attribute.
ATTRIBUTES = {
    **dict.fromkeys(
        ("no_mangle", "export_name", "link_section", "link_name", "link", "link_ordinal"), _LINKER
    ),
    **dict.fromkeys(("linkage", "link_args", "rustc_std_internal_symbol"), _LINKER),
    "naked": _MACHINE,
    **dict.fromkeys(("global_allocator", "panic_handler", "alloc_error_handler"), _RUNTIME),
    **dict.fromkeys(("lang", "start", "rustc_main", "prelude_import"), _RUNTIME),
}
# Of these, what is refused wherever a macro of the sample's own can make an attribute of it. The
# others are everyday words.
ATTRIBUTES_IN_MACROS = frozenset(ATTRIBUTES) - {"link", "linkage", "naked", "lang", "start"}
# What `link` is given when it is an attribute.
LINK_KEYS = frozenset({"name", "kind", "modifiers"})

# Refused as macros, in a file that names the module `arch`, which they are imported from.
ASSEMBLERS = dict.fromkeys(("asm", "global_asm", "naked_asm"), _MACHINE)

REDIRECTION = "it makes paths of the tests lead into the sample"
ROOT_CRATES = frozenset({"std", "core", "alloc"})

MODULES = {"process": Flag.PROCESS, "fs": Flag.FS, "env": Flag.ENV, "net": Flag.NET}
# Addresses live in `std::net`, too, and are harmless.
_SOCKETS = """
TcpStream TcpListener TcpSocket UdpSocket ToSocketAddrs to_socket_addrs lookup_host
UnixStream UnixListener UnixDatagram
"""
SOCKETS = frozenset(_SOCKETS.split())
FILE_MACROS = frozenset({"include", "include_str", "include_bytes"})
ENV_MACROS = frozenset({"env", "option_env"})
HOOKS = frozenset({"set_hook", "update_hook"})
MODULE_ROOTS = frozenset({"std", "tokio"})

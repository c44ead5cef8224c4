"""Names that Rust source may use without defining or importing them."""

# What these mean in a test is not for a sample to say.
_MACROS = """
assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq
debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str
line matches module_path option_env panic print println stringify thread_local todo try
unimplemented unreachable vec write writeln
"""
STD_MACROS = frozenset(_MACROS.split())
STD_CRATES = frozenset({"std", "core", "alloc"})

_PRIMITIVES = """
bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 Self
"""
# Of every edition: the younger ones that an older edition lacks do no harm here.
_PRELUDE = """
Send Sized Sync Unpin Copy Drop Fn FnMut FnOnce AsyncFn AsyncFnMut AsyncFnOnce drop Box ToOwned
Clone PartialEq PartialOrd Eq Ord AsRef AsMut Into From Default Iterator Extend IntoIterator
DoubleEndedIterator ExactSizeIterator Option Some None Result Ok Err String ToString Vec Debug Hash
TryFrom TryInto FromIterator Future IntoFuture
"""
_PLACES = """
std::collections HashMap HashSet BTreeMap BTreeSet VecDeque BinaryHeap
std::rc Rc
std::sync Arc Mutex RwLock
std::cell RefCell Cell
std::borrow Cow
std::cmp Ordering Reverse
std::time Duration Instant
std::fmt Display
std::str FromStr
std::error Error
std::ops Range RangeInclusive
std::path Path PathBuf
std::num ParseIntError
"""


def _places() -> dict[str, str]:
    rows = (line.split() for line in _PLACES.strip().splitlines())
    return {name: f"{row[0]}::{name}" for row in rows for name in row[1:]}


IN_SCOPE = frozenset(_PRIMITIVES.split()) | frozenset(_PRELUDE.split())
# Where to import them from, for a scope in which something else may have their names. Derives
# of a name that no trait of the prelude has, and what older editions lack, are not among them.
_YOUNG = frozenset(
    {"AsyncFn", "AsyncFnMut", "AsyncFnOnce", "Future", "IntoFuture"}
    | {"TryFrom", "TryInto", "FromIterator"}
)
PRELUDE_PLACES = {
    **{name: f"std::primitive::{name}" for name in _PRIMITIVES.split() if name != "Self"},
    **{
        name: f"std::prelude::v1::{name}"
        for name in sorted(frozenset(_PRELUDE.split()) - _YOUNG - {"Debug", "Hash"})
    },
}
# How many type arguments a name has that means the standard library's.
ARITIES = {
    **dict.fromkeys(_PRIMITIVES.split(), 0),
    **dict.fromkeys(("String", "Ordering", "Duration", "Instant", "Path", "PathBuf"), 0),
    **dict.fromkeys(("ParseIntError",), 0),
    **dict.fromkeys(("Option", "Vec", "Box", "HashSet", "BTreeSet", "VecDeque", "BinaryHeap"), 1),
    **dict.fromkeys(("Rc", "Arc", "Mutex", "RwLock", "RefCell", "Cell", "Cow", "Reverse"), 1),
    **dict.fromkeys(("Range", "RangeInclusive"), 1),
    **dict.fromkeys(("Result", "HashMap", "BTreeMap"), 2),
}
# Where the standard library has what signatures commonly name without an import beside them.
STD_PLACES = _places()

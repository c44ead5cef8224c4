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
# Where the standard library has what signatures commonly name without an import beside them.
STD_PLACES = _places()

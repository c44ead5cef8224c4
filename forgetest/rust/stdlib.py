"""The names of the standard library that Rust source may use without defining them."""

# A sample must not decide what these mean in a test.
_MACROS = """
assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq
debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str
line matches module_path option_env panic print println stringify thread_local todo try
unimplemented unreachable vec write writeln
"""
STD_MACROS = frozenset(_MACROS.split())
STD_CRATES = frozenset({"std", "core", "alloc"})
COUNTS = "forgetest_counts"  # our own module, which tests see besides

_PRIMITIVES = """
bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 Self
"""
# Of every edition: names that an older edition lacks do no harm here.
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
# Where to import them from, for a scope in which something else may have their names: without
# derives that no trait of the prelude is named like, and without what older editions lack.
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
# How many type arguments these have in the standard library.
ARITIES = {
    **dict.fromkeys(_PRIMITIVES.split(), 0),
    **dict.fromkeys(("String", "Ordering", "Duration", "Instant", "Path", "PathBuf"), 0),
    **dict.fromkeys(("ParseIntError",), 0),
    **dict.fromkeys(("Option", "Vec", "Box", "HashSet", "BTreeSet", "VecDeque", "BinaryHeap"), 1),
    **dict.fromkeys(("Rc", "Arc", "Mutex", "RwLock", "RefCell", "Cell", "Cow", "Reverse"), 1),
    **dict.fromkeys(("Range", "RangeInclusive"), 1),
    **dict.fromkeys(("Result", "HashMap", "BTreeMap"), 2),
}
# Where to import from what signatures commonly name without showing an import.
STD_PLACES = _places()

# Methods that common types and traits of the standard library have.
_METHODS = """
abs add all and and_then any append as_bytes as_deref as_mut as_mut_slice as_path as_ptr as_ref
as_slice as_str back back_mut binary_search binary_search_by borrow borrow_mut by_ref bytes capacity
ceil chain char_indices chars checked_add checked_div checked_mul checked_sub chunks clear clone
cloned cmp collect compare_exchange concat contains contains_key copied copy_from_slice cos count
cycle dedup default deref deref_mut difference div downcast_ref downgrade drain drop elapsed end
ends_with entry enumerate eq err escape_debug exp expect expect_err extend fetch_add fetch_sub fill
filter filter_map find find_map first first_mut flat_map flatten floor flush fmt fold for_each
from_str front front_mut fuse ge get get_mut get_or_insert_with gt hash insert insert_str inspect
intersection into into_boxed_slice into_bytes into_inner into_iter into_keys into_string into_values
is_alphabetic is_alphanumeric is_ascii is_char_boundary is_empty is_err is_finite is_lowercase
is_nan is_none is_none_or is_numeric is_ok is_some is_some_and is_sorted is_subset is_uppercase
is_whitespace iter iter_mut join keys kind last last_mut le leading_zeros len lines ln load lock lt
make_ascii_lowercase make_ascii_uppercase map map_err map_or map_or_else map_while max max_by
max_by_key min min_by min_by_key mul ne neg next next_back not nth ok ok_or ok_or_else or or_default
or_else or_insert or_insert_with overflowing_add parse partial_cmp partition peek peek_mut peekable
pop pop_back pop_first pop_front pop_last position pow powf powi product push push_back push_front
push_str range read read_line read_to_end read_to_string recv recv_timeout rem remove repeat replace
reserve resize retain rev reverse rfind rotate_left rotate_right round rposition rsplit
saturating_add saturating_mul saturating_sub scan seek send set shl shr shrink_to_fit shuffle sin
size_hint skip skip_while sort sort_by sort_by_key sort_unstable source spawn splice split split_at
split_first split_last split_off split_once split_whitespace sqrt start starts_with step_by store
strip_prefix strip_suffix strong_count sub sum swap swap_remove symmetric_difference take take_while
tan then then_some to_ascii_lowercase to_ascii_uppercase to_lowercase to_owned to_string
to_uppercase to_vec trailing_zeros trim trim_end trim_start truncate try_borrow try_borrow_mut
try_from try_into try_iter try_lock try_recv try_send union unwrap unwrap_err unwrap_or
unwrap_or_default unwrap_or_else unzip upgrade values values_mut wait weak_count windows
with_capacity wrapping_add wrapping_mul wrapping_neg wrapping_sub write write_all write_str zip
"""
STD_METHODS = frozenset(_METHODS.split())
_TRAIT_FUNCTIONS = """
add as_ref borrow clone cmp default deref deserialize div drop eq extend fmt from from_iter from_str
hash index into into_iter mul ne neg next not partial_cmp product serialize sub sum to_owned
to_string try_from try_into
"""
# Functions that a type has through a trait of the standard library, or of serde.
TRAIT_FUNCTIONS = frozenset(_TRAIT_FUNCTIONS.split())

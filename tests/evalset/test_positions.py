"""Where keys stand in TOML text: by hand for the odd forms, by property against tomli."""

from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetest.evalset.positions import KeyPath, locate, unclosed_string

# Each path of the document must have exactly the line given.
EXAMPLES: dict[str, tuple[str, dict[KeyPath, int]]] = {
    "comments and blank lines count": (
        "# a = 1\n\n  b = 2 # c = 3\n",
        {("b",): 3},
    ),
    "a dotted key gives a line to each part": (
        "a . b.\"c d\".'e.f' = 1\n",
        {("a",): 1, ("a", "b"): 1, ("a", "b", "c d"): 1, ("a", "b", "c d", "e.f"): 1},
    ),
    "a quoted key may hold escapes": (
        '"\\u0061\\t\\"\\\\" = 1\n',
        {('a\t"\\',): 1},
    ),
    "an empty key and an empty string are not a triple quote": (
        '"" = ""\nb = \'\'\n',
        {("",): 1, ("b",): 2},
    ),
    "tables inside a multi-line string are text": (
        'a = """\n[b]\nc = 1\n\\"""\n"""\nd = 2\n',
        {("a",): 1, ("d",): 6},
    ),
    "a literal string keeps its backslash": (
        "a = 'x\\'\nb = '''\n\\'''\nc = 3\n",
        {("a",): 1, ("b",): 2, ("c",): 4},
    ),
    "quotes may stand before the end of a multi-line string": (
        'a = """x"""""\nb = \'\'\'y\'\'\'\'\'\nc = """"x"""\nd = 1\n',
        {("a",): 1, ("b",): 2, ("c",): 3, ("d",): 4},
    ),
    "items of an array have lines of their own": (
        'a = [ # ]\n  1,\n  "]", [2,\n  3]\n]\n',
        {("a",): 1, ("a", 0): 2, ("a", 1): 3, ("a", 2): 3, ("a", 2, 0): 3, ("a", 2, 1): 4},
    ),
    "tables in an array have keys": (
        'a = [\n  { b = 1, c.d = "}" },\n  {},\n]\n',
        {
            ("a",): 1,
            ("a", 0): 2,
            ("a", 0, "b"): 2,
            ("a", 0, "c"): 2,
            ("a", 0, "c", "d"): 2,
            ("a", 1): 3,
        },
    ),
    "a date with a blank is one value": (
        "a = [1979-05-27 07:32:00, 2]\nb = 07:32:00 # x\n",
        {("a",): 1, ("a", 0): 1, ("a", 1): 1, ("b",): 2},
    ),
    "an array of tables counts, and its sub-tables belong to the last": (
        "[[a]]\nb = 1\n[a.c]\nd = 2\n[[a.e]]\n[[a.e]]\n[[ a ]]\n[a.c]\n[[a.e]]\nf = 3\n",
        {
            ("a",): 1,
            ("a", 0): 1,
            ("a", 0, "b"): 2,
            ("a", 0, "c"): 3,
            ("a", 0, "c", "d"): 4,
            ("a", 0, "e"): 5,
            ("a", 0, "e", 0): 5,
            ("a", 0, "e", 1): 6,
            ("a", 1): 7,
            ("a", 1, "c"): 8,
            ("a", 1, "e"): 9,
            ("a", 1, "e", 0): 9,
            ("a", 1, "e", 0, "f"): 10,
        },
    ),
    "line ends of Windows are one line each": (
        'a = """\r\n\r\n"""\r\n\r\n[b]\r\nc = 1\r\n',
        {("a",): 1, ("b",): 5, ("b", "c"): 6},
    ),
    "what some call a line end in a string is none in TOML": (
        "a = '\x85\u2028'\nb = 1",
        {("a",): 1, ("b",): 2},
    ),
}


@pytest.mark.parametrize(("text", "lines"), EXAMPLES.values(), ids=EXAMPLES)
def test_every_path_has_its_line(text: str, lines: dict[KeyPath, int]) -> None:
    assert paths(tomli.loads(text)) == set(lines)

    assert locate(text).lines == lines


def test_a_missing_key_is_placed_at_its_table() -> None:
    positions = locate("a = 1\n[[cases]]\n[cases.context]\n")

    assert positions.line(("a", "b", "c")) == 1
    assert positions.line(("cases", 0, "prompt")) == 2
    assert positions.line(("cases", 0, "context", "path")) == 3
    assert positions.line(("eval_set",)) is None
    assert positions.line(()) is None


def test_a_long_file_is_scanned_once() -> None:
    case = "[[cases]]\nprompt = '''\n{}\n'''\ntags = [{}]\n".format(
        "[x] ' \" \\ \n" * 100, '"t",' * 50
    )
    count = 3_000

    positions = locate(case * count)

    assert positions.line(("cases", count - 1)) == case.count("\n") * (count - 1) + 1


# A mark stands once in each value; it must be found where it stands in the text.
STRINGS = {
    "literal": "a = 'x §'",
    "literal of many lines": "\na = '''\nx\n\ty §'''",
    "literal that begins on its first line": "a = '''x §\n'''",
    "literal that ends in quotes": "a = '''\n§'''''",
    "line ends of Windows": "a = '''\r\nx\r\n\r\n y §\r\n'''\r\n",
    "backslash in a literal": "a = '''\\n\\u00e9§'''",
    "basic": 'a = "x \\"y\\" \\u00e9\\t§"',
    "basic, its lines written as escapes": 'a = "x\\ny\\nz§"',
    "basic of many lines": 'a = """\nx\n\\"\\"\\" \\\\ §\n"""',
    "basic that ends in quotes": 'a = """§"""""',
    "basic with lines that go on": 'a = """x \\\n   \n  y \\\\\n§"""',
    "in tables of an array": "[b]\n[c]\nd.e = { a = [{ f = 1 }, '''\n\n §'''] }",
}


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS)
def test_a_place_in_a_string_is_found_in_the_text(text: str) -> None:
    positions = locate(text)
    (path,) = positions.strings
    value: Any = tomli.loads(text)
    for part in path:
        value = value[part]
    before = value[: value.index("§")]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")

    found = positions.in_string(path, value, line, column)

    assert found is not None
    assert text.split("\n")[found[0] - 1][found[1] - 1] == "§"
    assert positions.in_string(path, f"{value}.", line, column) is None
    assert positions.in_string(("z",), value, line, column) is None


OPEN = {
    "never closed": ("a = 1\nb = '''\nx\n", ("b", 2)),
    "never closed, basic": ('a = 1\nb = """\nx\n', ("b", 2)),
    "not closed in its line": ('a = "x\nb = 1\n', ("a", 1)),
    "literal not closed in its line": ("a = 'x\nb = 1\n", ("a", 1)),
    "closed by what opens the next": ("a = '''\nx\nb = '''\nfn y() {\n'''\n", ("a", 1)),
    "closed, and something else is wrong": ("a = '''\nx\n'''\nb c = 1\n", None),
    "no string": ("a = 1\nb c\n", None),
}


@pytest.mark.parametrize(("text", "expected"), OPEN.values(), ids=OPEN)
def test_a_string_without_an_end_is_found_where_it_was_opened(
    text: str, expected: tuple[str, int] | None
) -> None:
    with pytest.raises(tomli.TOMLDecodeError):
        tomli.loads(text)

    token = unclosed_string(text)

    assert (token and (token.path[-1], token.line)) == expected


def paths(node: Any, here: KeyPath = ()) -> set[KeyPath]:
    """Return the path of everything in a parsed document."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(node, dict):
        items = list(node.items())
    elif isinstance(node, list):
        items = list(enumerate(node))
    found = {(*here, key) for key, _ in items}
    return found.union(*(paths(value, (*here, key)) for key, value in items))


NASTY = "[x]\n[[y]]\nz = 1 # 'a' \"b\" ''' \"\"\" \\ {}, ü\u2028"


class Writer:
    """Writes a random document and notes the line of all it writes."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.text = ""
        self.lines: dict[KeyPath, int] = {}
        self.names = 0

    def pick(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def note(self, path: KeyPath) -> None:
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def name(self) -> str:
        """Return a key that the document does not have yet, often one that must be quoted."""
        self.names += 1
        return self.pick("k", "", 'a"b', "a'b", "[x]", "a.b", "#", "é", "\\", "= ") + str(
            self.names
        )

    def key(self, name: str) -> str:
        forms = [basic(name)]
        if "'" not in name:
            forms.append(f"'{name}'")
        if name.isalnum() and name.isascii():
            forms.append(name)
        return self.pick(*forms)

    def blank(self) -> str:
        return self.pick("", " ", "\t  ")

    def gap(self) -> str:
        return self.pick("", " ", "\n", " # [x] ] } ''' \"\n\t", "\n\n")

    def pair(self, table: KeyPath, depth: int) -> None:
        parts = [self.name() for _ in range(self.draw(st.integers(1, 3)))]
        for length in range(1, len(parts) + 1):
            self.note((*table, *parts[:length]))
        dot = self.blank() + "." + self.blank()
        self.text += dot.join(map(self.key, parts)) + self.blank() + "=" + self.blank()
        self.value((*table, *parts), depth)

    def value(self, path: KeyPath, depth: int) -> None:
        kind = self.pick("scalar", "string", "multi", "array", "table")
        if kind == "array" and depth:
            self.array(path, depth - 1)
        elif kind == "table" and depth:
            self.table(path, depth - 1)
        elif kind == "string":
            self.text += basic(NASTY) if self.draw(st.booleans()) else "'\"#[x] \\'"
        elif kind == "multi":
            self.text += self.multi()
        else:
            self.text += self.pick("1", "-2.5e3", "true", "inf", "1979-05-27 07:32:00Z", "07:32:00")

    def multi(self) -> str:
        if self.draw(st.booleans()):
            body = NASTY.replace("\\", "\\\\").replace('"""', '""\\"')
            end = self.pick("", '"', '""', "\\\n  ")
            return f'"""{body}{end}"""'
        body = NASTY.replace("'''", "''")
        end = self.pick("", "'", "''")
        return f"'''{body}{end}'''"

    def array(self, path: KeyPath, depth: int) -> None:
        self.text += "[" + self.gap()
        count = self.draw(st.integers(0, 3))
        for index in range(count):
            self.note((*path, index))
            self.value((*path, index), depth)
            last = index == count - 1
            self.text += (
                self.gap() + ("" if last and self.draw(st.booleans()) else ",") + self.gap()
            )
        self.text += "]"

    def table(self, path: KeyPath, depth: int) -> None:
        self.text += "{" + self.blank()
        for index in range(self.draw(st.integers(0, 3))):
            self.text += "," + self.blank() if index else ""
            self.pair(path, depth)
            self.text += self.blank()
        self.text += "}"

    def body(self, table: KeyPath) -> None:
        for _ in range(self.draw(st.integers(0, 2))):
            self.text += self.gap() + self.blank()
            self.pair(table, depth=2)
            self.text += self.blank() + self.pick("\n", " # [x]\n", "\r\n")

    def section(self, parents: KeyPath, names: tuple[str, ...], depth: int) -> None:
        """Write one table, or an array of them, and sections beneath it."""
        name = self.name()
        is_array = self.draw(st.booleans())
        for index in range(self.draw(st.integers(1, 3)) if is_array else 1):
            self.text += self.gap() + self.blank()
            path = (*parents, name)
            self.note(path)
            if is_array:
                path = (*path, index)
                self.note(path)
            dotted = (self.blank() + ".").join(map(self.key, (*names, name)))
            self.text += f"[[{dotted} ]]" if is_array else f"[ {dotted}]"
            self.text += self.pick("\n", "# ]\n")
            self.body(path)
            for _ in range(self.draw(st.integers(0, 2)) if depth else 0):
                self.section(path, (*names, name), depth - 1)


def basic(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[KeyPath, int]]:
    writer = Writer(draw)
    writer.body(())
    for _ in range(draw(st.integers(0, 3))):
        writer.section((), (), depth=2)
    return writer.text, writer.lines


@settings(deadline=None, max_examples=50)
@given(documents())
def test_the_scanner_sees_what_tomli_sees_at_the_line_where_it_was_written(
    document: tuple[str, dict[KeyPath, int]],
) -> None:
    text, lines = document
    assert paths(tomli.loads(text)) == set(lines)

    assert locate(text).lines == lines


@settings(deadline=None)
@given(st.text(alphabet="ab=.[]{}\"'\\#,\n\t 1", max_size=80))
def test_the_scanner_ends_on_any_text(text: str) -> None:
    assert all(line >= 1 for line in locate(text).lines.values())

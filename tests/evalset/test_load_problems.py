"""What is wrong with an eval set: each problem at its line, in the words of TOML."""

import pytest

from forgetest.errors import EvalSetError
from forgetest.evalset.load import parse

SMALL = """\
[eval_set]
id = "small"

[[cases]]
id = "add"
prompt = "Write add."

[cases.expectations]
test_file = "#[test] fn adds() {}"
"""


def problems(text: str) -> list[str]:
    with pytest.raises(EvalSetError) as caught:
        parse(text, file="x.toml")
    return [str(problem) for problem in caught.value.problems]


def case_with(line: str) -> str:
    """Return a set with one more line, number 7, in its one case."""
    return SMALL.replace('prompt = "Write add."\n', f'prompt = "Write add."\n{line}\n')


def expecting(line: str) -> str:
    """Return a set with one more line, number 10, in its case's expectations."""
    return f"{SMALL}{line}\n"


def refusing(line: str) -> str:
    """Return a set whose one case should not compile, with one more line, number 9."""
    return SMALL.replace('test_file = "#[test] fn adds() {}"', f"should_compile = false\n{line}")


def using(line: str) -> str:
    """Return a set with a compile-fail test in line 10, and one more line, number 11, in it."""
    return expecting(f"[[cases.expectations.compile_fail]]\n{line}")


USE = 'name = "n"\ncode = "E0382"\nsource = "s"\ncompiles = "c"'


def set_with(line: str) -> str:
    """Return a set with one more line, number 3, in [eval_set]."""
    return SMALL.replace('id = "small"\n', f'id = "small"\n{line}\n')


PROBLEMS: list[tuple[str, str]] = [
    # the file
    ("a = ", ":1: is not valid TOML: invalid value"),
    ("\n\n[a\n", ":3: is not valid TOML: expected ']' at the end of a table declaration"),
    ("a = " + "[" * 5_000, ": nests arrays or tables too deeply"),
    (f"a = {'1' * 5_000}", ": holds an integer with too many digits"),
    ("", ": is not an eval set: it needs [eval_set] and [[cases]]"),
    ("[package]\nname = 'x'", ": is not an eval set: it needs [eval_set] and [[cases]]"),
    # compile-fail tests
    (
        using('name = "n"\ncode = "E0382"\ncompiles = "c"'),
        ":10: case \"add\": compile-fail test 1: \"source\" is missing; add source = '''...'''",
    ),
    (
        using('name = "n"\nsource = "s"\ncompiles = "c"'),
        ':10: case "add": compile-fail test 1: "code" is missing; add code = "E0499"',
    ),
    (
        using(USE.replace('"E0382"', "382")),
        ':12: case "add": compile-fail test 1: "code" must be an array of strings, got an integer',
    ),
    (
        using(USE.replace('"E0382"', "[]")),
        ':12: case "add": compile-fail test 1: "code" must name at least one rustc error code',
    ),
    (
        using(USE.replace("E0382", "382")),
        ':12: case "add": compile-fail test 1: item 1 of "code" must be a rustc error code such as',
    ),
    (
        using(USE.replace('"n"', '"two words"')),
        ':11: case "add": compile-fail test 1: "name" must be a name like a test function\'s, such',
    ),
    (
        using(f"{USE}\n[[cases.expectations.compile_fail]]\n{USE}"),
        ':16: case "add": compile-fail test 2: "name" "n" is already used in line 11; choose',
    ),
    (
        using(USE).replace("#[test] fn adds() {}", "mod compile_fail { #[test] fn n() {} }"),
        ':9: case "add": "expectations.test_file" must not define a module compile_fail beside',
    ),
    (
        using(USE).replace("[[cases.exp", "should_pass_tests = false\n[[cases.exp"),
        ':11: case "add": "expectations.compile_fail" has no effect with should_pass_tests = false',
    ),
    (
        refusing(f"[[cases.expectations.compile_fail]]\n{USE}"),
        ':10: case "add": "expectations.compile_fail" has no effect with should_compile = false',
    ),
    (
        expecting("compile_fail = 7"),
        ':10: case "add": "expectations.compile_fail" must be an array of tables, got an integer; ',
    ),
    # unknown keys
    (case_with('promt = ""'), ':7: case "add": unknown key "promt"; did you mean "prompt"?'),
    (
        set_with("timeout_secs = 3"),
        ':3: eval_set: unknown key "timeout_secs"; did you mean "default_timeout_secs"?',
    ),
    (
        case_with('test_file = ""'),
        ':7: case "add": unknown key "test_file"; it belongs in [cases.expectations]',
    ),
    (
        expecting('reference_solution = ""'),
        ':10: case "add": unknown key "expectations.reference_solution"; it belongs in [[cases]]',
    ),
    (
        case_with('edition = "2021"'),
        ':7: case "add": unknown key "edition"; it belongs in [eval_set]',
    ),
    ("q = 1\n" + SMALL, ':1: unknown key "q"; the keys here are eval_set, cases'),
    (
        case_with('dependencies = [{ name = "a", version = "1", path = ".." }]'),
        ':7: case "add": dependency 1: unknown key "path"; the keys here are name, version, ',
    ),
    (
        case_with('[[cases.context]]\npath = "a"\ncontent = ""\nmode = 7'),
        ':10: case "add": context file 1: unknown key "mode"; the keys here are path, content',
    ),
    (
        set_with('[eval_set.source]\nname = "x"\nlicense = "MIT"'),
        ':5: eval_set: source: unknown key "license"; did you mean "licence"?',
    ),
    (
        case_with('"a\\n\\u202eb" = 1'),
        ':7: case "add": unknown key "a\\n\\u202eb"; the keys here are id, name, ',
    ),
    # missing keys
    (SMALL.replace('id = "small"', ""), ':1: eval_set: "id" is missing; add id = "..."'),
    (SMALL.replace('id = "add"', ""), ':4: case 1: "id" is missing; add id = "..."'),
    (
        SMALL.replace('prompt = "Write add."', ""),
        ':4: case "add": "prompt" is missing; add prompt = "..."',
    ),
    (SMALL.replace('[eval_set]\nid = "small"', ""), ': "eval_set" is missing; add [eval_set]'),
    ('[eval_set]\nid = "x"', ': "cases" is missing; add [[cases]]'),
    ('cases = []\n[eval_set]\nid = "x"', ':1: "cases" is empty; add a [[cases]] table'),
    (
        case_with("dependencies = [\n  {}\n]"),
        ':8: case "add": dependency 1: "version" is missing; add version = "..."',
    ),
    (
        case_with("[[cases.context]]"),
        ':7: case "add": context file 1: "path" is missing; add path = "src/..."',
    ),
    (set_with("[eval_set.source]"), ':3: eval_set: source: "name" is missing; add name = "..."'),
    (
        SMALL.replace("test_file", "custom_check"),
        (
            ':8: case "add": "expectations.test_file" is missing; '
            "add the tests, or set should_pass_tests = false"
        ),
    ),
    (
        '[eval_set]\nid = "x"\n\n[[cases]]\nid = "a"\nprompt = "p"\n',
        (
            ':4: case "a": "expectations.test_file" is missing; '
            "add the tests, or set should_pass_tests = false"
        ),
    ),
    # wrong types
    (
        set_with("edition = 2021"),
        ':3: eval_set: "edition" must be a string, got an integer; write "2021"',
    ),
    (
        case_with('tags = "easy"'),
        ':7: case "add": "tags" must be an array of strings, got a string',
    ),
    (
        case_with("tags = [true]"),
        ':7: case "add": item 1 of "tags" must be a string, got a boolean',
    ),
    (
        case_with('tags = [\n  "a",\n  1979-05-27,\n]'),
        ':9: case "add": item 2 of "tags" must be a string, got a date',
    ),
    (
        case_with('dependencies = ["tokio"]'),
        (
            ':7: case "add": item 1 of "dependencies" must be a table, got a string; '
            'write dependencies = [{ name = "tokio", version = "1" }]'
        ),
    ),
    (
        case_with('dependencies = { tokio = "1" }'),
        (
            ':7: case "add": "dependencies" must be an array of tables, got a table; '
            'write dependencies = [{ name = "tokio", version = "1" }]'
        ),
    ),
    (
        '[cases]\nid = "a"\n[eval_set]\nid = "x"',
        ':1: "cases" must be an array of tables, got a table; write [[cases]]',
    ),
    (
        SMALL.replace("[eval_set]", "[[eval_set]]"),
        ':1: "eval_set" must be a table, got an array; write [eval_set]',
    ),
    (
        'cases = [1]\n[eval_set]\nid = "x"',
        ':1: item 1 of "cases" must be a table, got an integer; write [[cases]]',
    ),
    (
        expecting("should_compile = 1"),
        ':10: case "add": "expectations.should_compile" must be true or false, got an integer',
    ),
    (case_with("max_tokens = 1.5"), ':7: case "add": "max_tokens" must be an integer, got a float'),
    (
        case_with("timeout_secs = true"),
        ':7: case "add": "timeout_secs" must be a number, got a boolean',
    ),
    (
        case_with("timeout_secs = 07:32:00"),
        ':7: case "add": "timeout_secs" must be a number, got a time',
    ),
    (
        case_with("name = 1979-05-27T07:32:00Z"),
        ':7: case "add": "name" must be a string, got a date-time',
    ),
    # values
    (SMALL.replace('"add"', '""'), ':5: case 1: "id" must not be empty'),
    (SMALL.replace('"add"', '" \\t"'), ':5: case 1: "id" must not be empty'),
    (SMALL.replace('"add"', '"a/b"'), ':5: case "a/b": "id" may hold only the letters'),
    (SMALL.replace('"small"', '"a|b"'), ':2: eval_set: "id" may hold only the letters'),
    (SMALL.replace("Write add.", " \\n"), ':6: case "add": "prompt" must not be empty'),
    (case_with('name = " "'), ':7: case "add": "name" must not be empty'),
    (case_with('name = "a\\nb"'), ':7: case "add": "name" must be one line without control'),
    (
        case_with('language = "python"'),
        ':7: case "add": "language" must be "rust", got "python"; only rust can be graded',
    ),
    (
        set_with('default_language = "Rust"'),
        ':3: eval_set: "default_language" must be "rust", got "Rust"; only rust can be graded',
    ),
    (
        set_with('edition = "2020"'),
        ':3: eval_set: "edition" must be one of "2015", "2018", "2021", "2024", got "2020"',
    ),
    (
        set_with('protocol = "chatty"'),
        ':3: eval_set: "protocol" must be one of "chat", "completion", got "chatty"',
    ),
    (
        set_with('unsafe = "no"'),
        ':3: eval_set: "unsafe" must be one of "allow", "deny", got "no"',
    ),
    (
        case_with("unsafe = false"),
        ':7: case "add": "unsafe" must be one of "allow", "deny", got a boolean',
    ),
    (
        case_with('difficulty = "eazy"'),
        (
            ':7: case "add": "difficulty" must be one of "easy", "medium", "hard", "expert", got '
            '"eazy"'
        ),
    ),
    (
        case_with("difficulty = 3"),
        (
            ':7: case "add": "difficulty" must be one of "easy", "medium", "hard", "expert", got '
            "an integer"
        ),
    ),
    (case_with("timeout_secs = 0"), ':7: case "add": "timeout_secs" must be more than 0'),
    (case_with("timeout_secs = -1"), ':7: case "add": "timeout_secs" must be more than 0'),
    (case_with("timeout_secs = nan"), ':7: case "add": "timeout_secs" must be a finite'),
    (
        set_with("default_timeout_secs = inf"),
        ':3: eval_set: "default_timeout_secs" must be a finite number',
    ),
    (case_with("timeout_secs = 86401"), ':7: case "add": "timeout_secs" must be at most 86400'),
    (case_with(f"timeout_secs = 1{'0' * 400}"), ':7: case "add": "timeout_secs" is too large'),
    (case_with("max_tokens = 0"), ':7: case "add": "max_tokens" must be at least 1'),
    (
        expecting("max_clippy_warnings = -1"),
        ':10: case "add": "expectations.max_clippy_warnings" must be at least 0',
    ),
    (
        case_with('reference_solution = ""'),
        ':7: case "add": "reference_solution" must not be empty',
    ),
    (
        expecting('custom_check = "\\n"'),
        ':10: case "add": "expectations.custom_check" must not be empty',
    ),
    (
        SMALL.replace("#[test] fn adds() {}", " "),
        ':9: case "add": "expectations.test_file" must not be empty',
    ),
    (
        expecting('expected_types = ["struct A"]'),
        (
            ':10: case "add": item 1 of "expectations.expected_types" must be a bare '
            'name such as "parse" or "Stack::push", got "struct A"'
        ),
    ),
    # between keys
    (
        SMALL + SMALL[SMALL.index("[[cases]]") :],
        ':11: case "add": "id" "add" is already used in line 5; choose another',
    ),
    (
        case_with(
            'dependencies = [\n{ name = "a-b", version = "1" },\n{ name = "A_b", version = "1" }]'
        ),
        ':9: case "add": dependency 2: "name" "A_b" is already used in line 8; choose another',
    ),
    (
        set_with('dependencies = [{ name = "a", version = "1" }, { name = "a", version = "2" }]'),
        ':3: eval_set: dependency 2: "name" "a" is already used in line 3; choose another',
    ),
    (
        case_with('context = [{ path = "a/b", content = "" }, { path = "A", content = "" }]'),
        ':7: case "add": context file 2: "path" "A" is already used in line 7; choose another',
    ),
    (
        expecting('expected_error_codes = ["E0382"]'),
        (
            ':10: case "add": "expectations.expected_error_codes" has no effect unless '
            "should_compile = false; remove it"
        ),
    ),
    (
        case_with('equivalent_mutants = [{ mutant = " ", reason = "r" }]'),
        ':7: case "add": equivalent mutant 1: "mutant" must not be empty',
    ),
    (
        case_with('equivalent_mutants = [{ mutant = "m", reason = "\\t" }]'),
        ':7: case "add": equivalent mutant 1: "reason" must not be empty',
    ),
    (
        case_with('equivalent_mutants = [{ mutant = "m" }]'),
        ':7: case "add": equivalent mutant 1: "reason" is missing; add reason = "..."',
    ),
    (
        case_with('equivalent_mutants = [{ mutants = "m", reason = "r" }]'),
        (':7: case "add": equivalent mutant 1: unknown key "mutants"; did you mean "mutant"?'),
    ),
    (
        case_with('equivalent_mutants = ["m"]'),
        (
            ':7: case "add": item 1 of "equivalent_mutants" must be a table, got a string; '
            'write equivalent_mutants = [{ mutant = "...", reason = "..." }]'
        ),
    ),
    (
        case_with(
            'equivalent_mutants = [\n{ mutant = "m", reason = "r" },\n'
            '{ mutant = "m", reason = "s" }]'
        ),
        (
            ':9: case "add": equivalent mutant 2: "mutant" "m" is already listed in line 8; '
            "remove one"
        ),
    ),
    (
        case_with('equivalent_mutants = [{ mutant = "m", reason = "r" }]'),
        (
            ':7: case "add": "equivalent_mutants" has no effect without reference_solution; '
            "remove it, or add the reference"
        ),
    ),
    (
        refusing('expected_error_codes = ["E0382", "382"]'),
        (
            ':10: case "add": item 2 of "expectations.expected_error_codes" must be a '
            'rustc error code such as "E0382", got "382"'
        ),
    ),
    (
        refusing('test_file = "x"'),
        (
            ':10: case "add": "expectations.test_file" has no effect with should_compile = false; '
            "remove it"
        ),
    ),
    (
        refusing("max_clippy_warnings = 0"),
        (
            ':10: case "add": "expectations.max_clippy_warnings" has no effect with '
            "should_compile = false; remove it"
        ),
    ),
    (
        SMALL.replace('prompt = "', "prompt = '''"),
        (
            ':6: case "add": "prompt": the string that \'\'\' opens here is not closed; '
            "add ''' where it ends"
        ),
    ),
    (
        expecting("custom_check = '''\ngrep\nexpected_types = '''\nA B\n'''"),
        (
            ':10: case "add": "expectations.custom_check": the string that \'\'\' opens here is '
            "not closed before line 12; add ''' where it ends"
        ),
    ),
    (
        expecting('custom_check = "grep'),
        (
            ':10: case "add": "expectations.custom_check": the string that " opens here is not '
            'closed in its line; for several lines, use """'
        ),
    ),
    (
        refusing('allowed_lints = ["clippy::needless_return"]'),
        (
            ':10: case "add": "expectations.allowed_lints" has no effect with '
            "should_compile = false; remove it"
        ),
    ),
    (
        refusing("max_allocations = 3"),
        (
            ':10: case "add": "expectations.max_allocations" has no effect with '
            "should_compile = false; remove it"
        ),
    ),
    (
        expecting("max_peak_bytes = 64\nshould_pass_tests = false"),
        (
            ':10: case "add": "expectations.max_peak_bytes" has no effect with '
            "should_pass_tests = false; remove it"
        ),
    ),
    (
        expecting("max_allocations = -1"),
        ':10: case "add": "expectations.max_allocations" must be at least 0',
    ),
    (
        expecting('allowed_lints = ["needless_return"]'),
        (
            ':10: case "add": item 1 of "expectations.allowed_lints" must be a clippy lint such '
            'as "clippy::too_many_arguments", got "needless_return"'
        ),
    ),
    (
        expecting('allowed_lints = ["clippy::style"]'),
        (
            ':10: case "add": item 1 of "expectations.allowed_lints" is "clippy::style", a group '
            "of lints; name each lint that is allowed"
        ),
    ),
]


@pytest.mark.parametrize(("text", "expected"), PROBLEMS, ids=[line for _, line in PROBLEMS])
def test_a_problem_is_one_line_with_file_line_case_and_key(text: str, expected: str) -> None:
    found = problems(text)

    assert any(line.startswith(f"x.toml{expected}") for line in found), found
    assert all(line.count("\n") == 0 for line in found)


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace('test_file = "#[test] fn adds() {}"', "should_pass_tests = false"),
        SMALL.replace('test_file = "#[test] fn adds() {}"', "should_compile = false"),
        expecting("should_pass_tests = false"),
        refusing("should_pass_tests = false"),
        case_with("timeout_secs = 86400"),
        case_with("timeout_secs = 0.001"),
        case_with('context = [{ path = "a", content = "" }, { path = "ab", content = "" }]'),
        SMALL.replace("\n", "\r\n"),
    ],
)
def test_what_is_allowed_has_no_problem(text: str) -> None:
    assert parse(text, file="x.toml").id == "small"


def test_all_problems_come_at_once_in_the_order_of_the_lines() -> None:
    text = (
        SMALL.replace('id = "small"', 'id = ""\nedition = 2021')
        .replace('prompt = "Write add."', "promt = 1\ntags = 1")
        .replace("test_file", "should_compile = 1\ncustom_check")
    )

    assert [line.split(" must")[0].split(" is missing")[0] for line in problems(text)] == [
        'x.toml:2: eval_set: "id"',
        'x.toml:3: eval_set: "edition"',
        'x.toml:5: case "add": "prompt"',
        'x.toml:7: case "add": unknown key "promt"; did you mean "prompt"?',
        'x.toml:8: case "add": "tags"',
        'x.toml:10: case "add": "expectations.test_file"',
        'x.toml:11: case "add": "expectations.should_compile"',
    ]


def test_a_long_wrong_value_does_not_fill_the_screen() -> None:
    [line] = problems(set_with(f'edition = "{"x" * 5_000}"'))

    assert len(line) < 300

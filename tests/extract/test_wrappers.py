"""Code comes out of whatever wrapper a reply puts around it, where its form is certain."""

import html
import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replies import ANSWERS, DRAFT, HELPED, SUM, case, taken, tokens

from forgetest.evalset.types import Protocol
from forgetest.extract.types import ExtractionRule, Extractor

LINES = """\
pub fn sum_even(numbers: &[i64]) -> i64 {
    let (text, mark, tab) = ("a\\n\\"b\\"\\t", '\\n', '"');
    assert!(text.len() < 9 && mark < tab && text.starts_with('\\u{61}'));
    numbers.iter().filter(|n| *n % 2 == 0).sum() // all of them
}"""
CODES = (*ANSWERS, LINES)
KEYS = (
    "code",
    "rust",
    "rust_code",
    "solution",
    "answer",
    "content",
    "src/lib.rs",
    "implementation",
)


def as_json(key: str, code: str, indent: int | None, *, ascii_only: bool, more: int) -> str:
    extra = {
        "language": "rust",
        "explanation": "It adds up the even ones:\n`sum_even`.",
        "ok": True,
    }
    entry = {**dict(list(extra.items())[:more]), key: code}
    return json.dumps(entry, indent=indent, ensure_ascii=ascii_only)


AROUND: dict[str, Callable[[str], str]] = {
    "alone": lambda text: text,
    "white space": lambda text: f"\n\n  {text}\n",
    "json fence": lambda text: f"```json\n{text}\n```",
    "bare fence": lambda text: f"```\n{text}\n```\n",
    "prose and fence": lambda text: f"Here is the answer:\n\n```json\n{text}\n```\n\nIt adds.",
    "thinking": lambda text: f"<think>JSON it is.</think>{text}",
    "list": lambda text: f"[{text}]",
    "nested": lambda text: f'{{"result": {{"files": [{text}]}}, "status": 0}}',
}


@given(
    code=st.sampled_from(CODES),
    key=st.sampled_from(KEYS),
    indent=st.sampled_from([None, 2]),
    ascii_only=st.booleans(),
    more=st.integers(0, 3),
    around=st.sampled_from(list(AROUND.values())),
    fenced=st.booleans(),
    crlf=st.booleans(),
    extractor=st.sampled_from(Extractor),
)
def test_json_that_holds_code_gives_the_code(
    code: str,
    key: str,
    indent: int | None,
    around: Callable[[str], str],
    *,
    ascii_only: bool,
    more: int,
    fenced: bool,
    crlf: bool,
    extractor: Extractor,
) -> None:
    code = code.replace("\n", "\r\n") if crlf else code
    held = f"Here:\n```rust\n{code}\n```\n" if fenced else code
    text = around(as_json(key, held, indent, ascii_only=ascii_only, more=more))
    found = taken(text, extractor=extractor)
    assert tokens(found.code) == tokens(code)
    assert found.rule is ExtractionRule.UNWRAPPED


@given(code=st.sampled_from(CODES), key=st.sampled_from(KEYS))
def test_json_whose_line_breaks_are_not_escaped_gives_the_code_too(code: str, key: str) -> None:
    text = json.dumps({key: code}).replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\\\")
    assert tokens(taken(text).code) == tokens(code)


def test_among_the_texts_of_json_the_one_that_defines_is_taken() -> None:
    tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {}\n}"
    for entry in (
        {"tests": tests, "code": SUM},
        {"code": SUM, "tests": tests, "example": "fn main() {}"},
        {
            "files": [
                {"path": "Cargo.toml", "content": "[package]"},
                {"path": "a.rs", "content": SUM},
            ]
        },
        {"old_code": DRAFT, "new_code": SUM},
    ):
        assert taken(json.dumps(entry)).code == SUM


def test_a_body_in_json_is_joined_to_the_prompt() -> None:
    opening = "pub fn sum_even(numbers: &[i64]) -> i64 {\n"
    body = "    numbers.iter().filter(|n| *n % 2 == 0).sum()\n}"
    asked = case(opening, protocol=Protocol.COMPLETION)
    whole = taken(json.dumps({"code": opening + body}), asked)
    assert tokens(whole.code) == tokens(opening + body)


CALLS: dict[str, Callable[[str], str]] = {
    "tool_call": lambda code: (
        "<tool_call>\n"
        + json.dumps({"name": "write_file", "arguments": {"path": "src/lib.rs", "content": code}})
        + "\n</tool_call>"
    ),
    "arguments in a string": lambda code: (
        "<tool_call>"
        + json.dumps({"name": "submit", "arguments": json.dumps({"code": code})})
        + "</tool_call>"
    ),
    "function_call": lambda code: (
        "I write it.\n<function_call>"
        + json.dumps({"name": "submit", "parameters": {"code": code}})
        + "</function_call>"
    ),
    "mistral": lambda code: (
        "[TOOL_CALLS]" + json.dumps([{"name": "write", "arguments": {"text": code}}])
    ),
    "mistral, newer": lambda code: "[TOOL_CALLS]write[ARGS]" + json.dumps({"code": code}),
    "llama": lambda code: (
        "<|python_tag|>"
        + json.dumps({"type": "function", "name": "w", "parameters": {"source": code}})
    ),
    "gpt-oss": lambda code: (
        "<|channel|>analysis<|message|>So.<|end|><|start|>assistant"
        "<|channel|>commentary to=functions.write <|constrain|>json<|message|>"
        + json.dumps({"contents": code})
        + "<|call|>"
    ),
    "openai": lambda code: json.dumps(
        {
            "tool_calls": [
                {"function": {"name": "submit", "arguments": json.dumps({"solution": code})}}
            ]
        }
    ),
    "qwen coder": lambda code: (
        "<tool_call>\n<function=write_file>\n<parameter=path>\nsrc/lib.rs\n"
        f"</parameter>\n<parameter=content>\n{code}\n</parameter>\n</function>\n</tool_call>"
    ),
    "invoke": lambda code: (
        '<function_calls>\n<invoke name="write">\n<parameter name="path">a.rs'
        f'</parameter>\n<parameter name="content">{code}</parameter>\n</invoke>\n</function_calls>'
    ),
    "file": lambda code: f'<file path="src/lib.rs">\n{code}\n</file>',
    "cdata": lambda code: f'<parameter name="code"><![CDATA[{code}]]></parameter>',
    "answer": lambda code: f"<think>So.</think><answer>{code}</answer>",
    "answer and fence": lambda code: f"<answer>```rust\n{code}\n```</answer>",
    "solution": lambda code: (
        f"<|begin_of_thought|>x<|end_of_thought|>\n\n<|begin_of_solution|>\n"
        f"```rust\n{code}\n```\n<|end_of_solution|>"
    ),
    "pre": lambda code: f"<p>Here:</p>\n<pre><code>{html.escape(code)}</code></pre>",
    "pre with a class": lambda code: (
        '<pre class="x">\n<code class="language-rust">'
        f"{html.escape(code, quote=False)}\n</code></pre>\n<p>Done</p>"
    ),
    "pre alone": lambda code: f"<pre>\n{html.escape(code)}\n</pre>",
    "highlighted": lambda code: (
        "<pre><code>"
        + html.escape(code).replace("pub fn", '<span class="k">pub</span> <span>fn</span>')
        + "</code></pre>"
    ),
    "code element": lambda code: f"<code>{html.escape(code)}</code>",
    "one line": lambda code: json.dumps(code, ensure_ascii=False)[1:-1],
    "one line in quotes": json.dumps,
    "one line with a fence": lambda code: json.dumps(f"Here:\n\n```rust\n{code}\n```\nDone.")[1:-1],
}


@pytest.mark.parametrize("wrap", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("code", CODES, ids=["sum", "tagged", "helped", "lines"])
def test_code_comes_out_of_every_wrapper(wrap: Callable[[str], str], code: str) -> None:
    found = taken(wrap(code))
    assert tokens(found.code) == tokens(code)


def test_line_breaks_that_alone_are_escaped_are_undone() -> None:
    for code in (SUM, HELPED, LINES):
        for text in (code, f"Here:\n```rust\n{code}\n```\n", f"```rust\n{code}\n```"):
            plain = code.replace("\n", "\\n")
            assert tokens(taken(text.replace(code, plain)).code) == tokens(code)
    assert tokens(taken(f"```rust\n{SUM}\n```".replace("\n", "\\n")).code) == tokens(SUM)


CONST = 'pub const TEXT: &str = r#"{"code": "pub fn sum_even() {}", "n": 1}"#;'
PAGE = r"""
pub const TEXT: &str = "<pre><code>fn sum_even() {}\n&lt;</code></pre>";
pub fn escape(text: &str) -> String {
    text.replace('<', "&lt;").replace("\n", "\\n")
}""".strip()
CALL = 'pub const TEXT: &str = "<tool_call>{\\"code\\": \\"fn sum_even() {}\\"}</tool_call>";'


@pytest.mark.parametrize("code", [CONST, PAGE, CALL, CONST.replace('"code"', '\n"code"')])
def test_a_wrapper_in_a_literal_of_the_answer_is_part_of_it(code: str) -> None:
    asked = case("Write `TEXT`.", functions=(), reference=CONST)
    for text in (code, f"```rust\n{code}\n```", f"Here:\n\n{code}\n\nDone.", f"```\n{code}\n```"):
        assert taken(text, asked).code == code


@pytest.mark.parametrize(
    "example",
    [
        '```json\n{"code": "pub fn sum_even() {}"}\n```',
        '<tool_call>{"code": "pub fn sum_even() {}"}</tool_call>',
        "<pre><code>pub fn sum_even() {}</code></pre>",
        '`{"code": "pub fn sum_even() {}"}`',
    ],
)
def test_a_wrapper_beside_a_block_of_rust_is_an_example(example: str) -> None:
    for text in (f"{example}\n\n```rust\n{SUM}\n```", f"```rust\n{SUM}\n```\n\n{example}\n"):
        found = taken(text)
        assert (found.code, found.rule) == (SUM, ExtractionRule.DEFINING)


@pytest.mark.parametrize(
    "unit", ["<pre>", "<parameter=a>", "<file>\n", "<<<<<<< SEARCH\n", '{"', '\\"\\n', "</think>\n"]
)
def test_wrappers_that_never_end_are_given_up_in_time(unit: str) -> None:
    start = time.thread_time()
    assert taken(unit * (100_000 // len(unit))).code is None
    assert time.thread_time() - start < 10


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "I add them up."}',
        '{"code": 5}',
        '{"error": "no code", "list": [1, 2, {"a": null}]}',
        "[" * 100_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        '"fn"',
        "{}",
        "[]",
        '""',
        "<tool_call>{</tool_call>",
        "<pre></pre>",
        "a\\nb\\nc",
    ],
)
def test_a_wrapper_without_rust_holds_no_code(text: str) -> None:
    assert taken(text).rule is not ExtractionRule.UNWRAPPED
    assert taken(text).code is None or text.startswith("[")

"""Test files written in other ways; the rewrites are of the case, and its tests stay as hard."""

import re
from random import Random

from honest.rewrite import Family, some
from honest.source import Source, Unit, function_of, text_of

made = Family("tests by a macro of the case", of_tests=True)
attributes = Family("attributes on tests", of_tests=True)
forms = Family("forms of test files", of_tests=True)

_CONDITIONS = (
    "unix",
    "windows",
    "any(unix, windows)",
    "all()",
    "any()",
    "not(windows)",
    "debug_assertions",
    "not(debug_assertions)",
    'target_os = "linux"',
    'target_os = "macos"',
    'target_pointer_width = "64"',
    'feature = "extra"',
    'not(feature = "extra")',
    "test",
    "not(test)",
    'panic = "unwind"',
    'all(unix, not(target_arch = "wasm32"))',
    "miri",
)


def _body(source: Source) -> tuple[str, Source, str] | None:
    """Return the one module of a test file in pieces: its head, what it holds, its end."""
    if len(source.units) != 1 or source.units[0].kind != "mod_item":
        return None
    unit = source.units[0]
    body = text_of(unit.node.child_by_field_name("body"))
    head = unit.text[: len(unit.text) - len(body)]
    return head + "{", Source(body[1:-1]), "}\n"


def _tests(body: Source) -> list[Unit]:
    """Return the tests that take nothing, return nothing and have no attribute but one."""
    found = [one for one in body.units if one.kind == "function_item"]
    plain = [one for one in found if one.head.strip() == "#[test]"]
    return [one for one in plain if not function_of(one).returns and not function_of(one).modifiers]


def _changed(source: Source, draw: Random, macro: str, one: str, each: str) -> str | None:
    """Return a test file whose plain tests, or some, come from a macro."""
    pieces = _body(source)
    if pieces is None or not _tests(pieces[1]):
        return None
    head, body, end = pieces
    tests = _tests(body)
    tests = tests if draw.random() < 0.5 else some(tests, draw)
    calls = [one.format(name=function_of(t).name, body=function_of(t).body) for t in tests]
    call = each.format(calls="\n".join(calls))
    return f"{head}{body.without(tests)}\n{macro}\n{call}\n{end}"


@made
def each_by_a_call(source: Source, draw: Random) -> str | None:
    macro = "macro_rules! check { ($name:ident, $body:block) => { #[test] fn $name() $body }; }"
    return _changed(source, draw, macro, "check!({name}, {body});", "{calls}")


@made
def all_by_one_call(source: Source, draw: Random) -> str | None:
    macro = (
        "macro_rules! cases { ($($name:ident: $body:block)*) => { $(#[test] fn $name() $body)* }; }"
    )
    return _changed(source, draw, macro, "{name}: {body}", "cases! {{\n{calls}\n}}")


@made
def each_in_a_module(source: Source, draw: Random) -> str | None:
    macro = (
        "macro_rules! check { ($name:ident, $body:block) => "
        "{ mod $name { use super::*; #[test] fn holds() $body } }; }"
    )
    return _changed(source, draw, macro, "check!({name}, {body});", "{calls}")


@made
def passed_through(source: Source, draw: Random) -> str | None:
    kind = draw.choice(["tt", "item"])
    macro = f"macro_rules! keep {{ ($($it:{kind})*) => {{ $($it)* }}; }}"
    return _changed(source, draw, macro, "#[test]\nfn {name}() {body}", "keep! {{\n{calls}\n}}")


def _with_attributes(source: Source, draw: Random, lines: str) -> str | None:
    pieces = _body(source)
    if pieces is None or len(_tests(pieces[1])) < 2:
        return None
    head, body, end = pieces
    chosen = draw.choice(_tests(body))
    return f"{head}{body.replaced([(chosen, lines.format(text=chosen.text.strip()))])}{end}"


@attributes
def condition_before(source: Source, draw: Random) -> str | None:
    return _with_attributes(source, draw, f"#[cfg({draw.choice(_CONDITIONS)})]\n    {{text}}")


@attributes
def condition_behind(source: Source, draw: Random) -> str | None:
    pieces = _body(source)
    if pieces is None or len(_tests(pieces[1])) < 2:
        return None
    head, body, end = pieces
    chosen = draw.choice(_tests(body))
    text = chosen.text.replace("#[test]", f"#[test]\n    #[cfg({draw.choice(_CONDITIONS)})]", 1)
    return f"{head}{body.replaced([(chosen, text)])}{end}"


@attributes
def module_by_condition(source: Source, draw: Random) -> str | None:
    condition = draw.choice(_CONDITIONS)
    inside = f"#[cfg({condition})]\n    mod group {{\n    use super::*;\n    {{text}}\n    }}"
    return _with_attributes(
        source, draw, inside.replace("{", "{{").replace("}", "}}").replace("{{text}}", "{text}")
    )


@attributes
def more_by_condition(source: Source, draw: Random) -> str | None:
    line = draw.choice(["ignore", "allow(dead_code)", 'ignore = "slow"', "inline"])
    return _with_attributes(
        source, draw, f"#[cfg_attr({draw.choice(_CONDITIONS)}, {line})]\n    {{text}}"
    )


@attributes
def test_by_condition(source: Source, draw: Random) -> str | None:
    pieces = _body(source)
    if pieces is None or len(_tests(pieces[1])) < 2:
        return None
    head, body, end = pieces
    chosen = draw.choice(_tests(body))
    word = f"#[cfg_attr({draw.choice(_CONDITIONS)}, test)]"
    text = f"#[allow(dead_code)]\n{chosen.text.replace('#[test]', word, 1)}"
    return f"{head}{body.replaced([(chosen, text)])}{end}"


@attributes
def whole_module_by_condition(source: Source, draw: Random) -> str | None:
    word = draw.choice(["all(test, unix)", "all(test, not(windows))", "any(test, doc)"])
    return source.text.replace("#[cfg(test)]", f"#[cfg({word})]", 1)


@attributes
def expected_to_panic(source: Source, draw: Random) -> str | None:
    pieces = _body(source)
    if pieces is None or not _tests(pieces[1]):
        return None
    head, body, end = pieces
    chosen = draw.choice(_tests(body))
    one = function_of(chosen)
    word = draw.choice(
        ["#[should_panic]", '#[should_panic(expected = "as wanted")]', '#[should_panic = "wanted"]',
         '#[cfg_attr(unix, should_panic(expected = "as wanted"))]']
    )  # fmt: skip
    text = f'#[test]\n    {word}\n    fn {one.name}() {{\n        {one.body}\n        panic!("as wanted");\n    }}'
    return f"{head}{body.replaced([(chosen, text)])}{end}"


@attributes
def test_by_its_path(source: Source, draw: Random) -> str | None:
    word = draw.choice(["#[::core::prelude::v1::test]", "#[core::prelude::v1::test]", "#[ test ]"])
    return source.text.replace("#[test]", word, 1)


@forms
def without_its_module(source: Source, _draw: Random) -> str | None:
    pieces = _body(source)
    if pieces is None:
        return None
    return re.sub(r"(?m)^\s*use super::\*;\n", "", pieces[1].text, count=1)


@forms
def in_a_deeper_module(source: Source, _draw: Random) -> str | None:
    pieces = _body(source)
    if pieces is None or not _tests(pieces[1]):
        return None
    head, body, end = pieces
    tests = _tests(body)
    moved = "\n".join(one.text for one in tests)
    return f"{head}{body.without(tests)}\nmod deeper {{\n    use super::*;\n    {moved}\n}}\n{end}"


@forms
def imports_from_the_crate(source: Source, _draw: Random) -> str | None:
    return source.text.replace("use super::*;", "use crate::*;", 1)


@forms
def imports_left_to_the_sample(source: Source, draw: Random) -> str | None:
    """Take from the sample's imports what the tests need of std."""
    lines = re.findall(r"(?m)^    use std::[^;]*;\n", source.text)
    if not lines:
        return None
    kept = lines if draw.random() < 0.5 else [draw.choice(lines)]
    text = source.text
    for line in kept:
        text = text.replace(line, "", 1)
    return text


@forms
def imports_by_name(source: Source, _draw: Random) -> str | None:
    """Import by a list what the tests call, and nothing else."""
    pieces = _body(source)
    if pieces is None or "use super::*;" not in source.text:
        return None
    called = re.findall(r"(?<![.\w:!])([a-z_]\w*)(?=\()", pieces[1].text)
    own = {one.name for one in pieces[1].units}
    types = re.findall(r"(?<![\w:\"'])([A-Z]\w*)(?=::|\s*\{|<)", pieces[1].text)
    std = {"Some", "Ok", "Err", "Vec", "String", "Box", "Option", "Result", "Self", "Rc", "Arc"}
    names = sorted({*called, *types} - own - std - {"drop", "if", "for", "while", "match"})
    return source.text.replace("use super::*;", f"use super::{{{', '.join(names)}}};", 1)


@forms
def another_module_name(source: Source, draw: Random) -> str | None:
    name = draw.choice(["test", "checks", "r#tests", "unit"])
    return source.text.replace("mod tests", f"mod {name}", 1)


@forms
def documented(source: Source, draw: Random) -> str | None:
    inner = draw.choice(["    //! Tests.\n", "    #![allow(unused_imports)]\n", "    // Tests.\n"])
    return re.sub(r"mod (\w+) \{\n", lambda m: f"mod {m[1]} {{\n{inner}", source.text, count=1)


@forms
def results_returned(source: Source, draw: Random) -> str | None:
    pieces = _body(source)
    if pieces is None or not _tests(pieces[1]):
        return None
    head, body, end = pieces
    chosen = draw.choice(_tests(body))
    one = function_of(chosen)
    type_, value = draw.choice(
        [("::std::result::Result<(), ::std::string::String>", "::std::result::Result::Ok(())"),
         ("::std::result::Result<(), Box<dyn std::error::Error>>", "Ok(())"),
         ("::std::process::ExitCode", "::std::process::ExitCode::SUCCESS"),
         ("impl ::std::process::Termination", "()")]
    )  # fmt: skip
    text = (
        f"#[test]\n    fn {one.name}() -> {type_} {{\n        {one.body}\n        {value}\n    }}"
    )
    return f"{head}{body.replaced([(chosen, text)])}{end}"


@forms
def helpers_by_macros(source: Source, draw: Random) -> str | None:
    """Give the tests a macro of their own, by an everyday name."""
    pieces = _body(source)
    if pieces is None or not _tests(pieces[1]):
        return None
    head, body, end = pieces
    name = draw.choice(["check", "same", "is_true", "vec_of"])
    chosen = draw.choice(_tests(body))
    one = function_of(chosen)
    text = f"#[test]\n    fn {one.name}() {{\n        {name}!(true);\n        {one.body}\n    }}"
    macro = f"    macro_rules! {name} {{ ($e:expr) => {{ assert!($e) }}; }}\n"
    return f"{head}\n{macro}{body.replaced([(chosen, text)])}{end}"

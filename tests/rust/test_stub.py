"""Stubs: every body gone, and rustc still content: corpus/stub/*.rs, one hard case a file."""

import subprocess
from pathlib import Path

import pytest
from program import ROOT

from forgetest.rust.items import defined_items
from forgetest.rust.stub import stub

SOURCES = sorted((ROOT / "tests" / "corpus" / "stub").glob("*.rs"))


@pytest.mark.parametrize(
    ("source", "stubbed"),
    [
        ("pub fn f(x: u8) -> u8 { x }", "pub fn f(x: u8) -> u8 { todo!() }"),
        ("fn f() {}", "fn f() { todo!() }"),
        ("fn f() { fn g() {} g() }", "fn f() { todo!() }"),
        ("async fn f() -> u8 { 1 }", "async fn f() -> u8 { todo!() }"),
        ("const fn f() -> u8 { 1 }", "const fn f() -> u8 { todo!() }"),
        (
            "mod m { pub const fn f() -> u8 { 1 } } pub use m::f;",
            "mod m { pub const fn f() -> u8 { todo!() } } pub use m::f;",
        ),
        ("trait T { fn a(); fn b() { 1; } }", "trait T { fn a(); fn b() { todo!() } }"),
        ("impl S { fn a(&self) { 1; } }", "impl S { fn a(&self) { todo!() } }"),
        ("mod m { mod n { fn a() { 1; } } }", "mod m { mod n { fn a() { todo!() } } }"),
        ("fn f() -> impl Fn() { || () }", "fn f() -> impl Fn() { todo!(); || () }"),
        ("fn f(g: impl Fn()) { g() }", "fn f(g: impl Fn()) { todo!() }"),
        ("fn main() { f() }\nfn f() { 1; }", "fn main() { f() }\nfn f() { todo!() }"),
        (
            "#![deny(warnings)]\n#[forbid(x)] fn f() {}",
            "#![warn(warnings)]\n#[warn(x)] fn f() { todo!() }",
        ),
        ("struct S { a: u8 } // fn f() {}", "struct S { a: u8 } // fn f() {}"),
        ('fn ä() -> &\'static str { "ß" }', "fn ä() -> &'static str { todo!() }"),
        ("macro_rules! m { () => { 1 } }", "macro_rules! m { () => {{ ::core::todo!(); 1 }} }"),
        ("macro_rules! m { () => {} }", "macro_rules! m { () => {} }"),
        ("macro_rules! m { (@a) => { 1 } }", "macro_rules! m { (@a) => { 1 } }"),
        ("macro_rules! m { () => { struct A; } }", "macro_rules! m { () => { struct A; } }"),
    ],
)
def test_a_body_becomes_a_todo(source: str, stubbed: str) -> None:
    assert stub(source) == stubbed


def compile_rust(source: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    file = folder / "code.rs"
    file.write_text(source, encoding="utf-8")
    command = ["rustc", "--edition=2021", "--out-dir", str(folder), *arguments, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.cargo
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_stub_compiles(path: Path, tmp_path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    kind = "bin" if "fn main" in source else "lib"
    built = compile_rust(stub(source), tmp_path, f"--crate-type={kind}", "--emit=metadata")
    assert built.returncode == 0, built.stderr


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_stub_defines_what_its_source_defines(path: Path) -> None:
    source = path.read_text(encoding="utf-8")

    def visible(text: str) -> list[tuple[str, str, str]]:
        return [(i.kind, i.owner, i.name) for i in defined_items(text).reachable()]

    assert visible(stub(source)) == visible(source)


CALLED = """
pub fn plain(x: i32) -> i32 { x + 1 }
pub fn lazy(n: u8) -> impl Iterator<Item = u8> { 0..n }
pub const fn constant(x: u8) -> u8 { x }
pub struct S;
impl S { pub fn method(&self) -> String { String::from("done") } }
pub trait T { fn given(&self) -> u8 { 1 } }
impl T for S {}
macro_rules! twice { ($x:expr) => { $x + $x }; }
"""
CALLS = ["plain(1)", "lazy(3).count()", "constant(1)", "S.method()", "S.given()", "twice!(1)"]


@pytest.mark.cargo
def test_whatever_a_stub_is_asked_it_panics(tmp_path: Path) -> None:
    asked = "".join(
        f"assert!(std::panic::catch_unwind(|| {{ let _ = {call}; }}).is_err());\n" for call in CALLS
    )
    program = f"{stub(CALLED)}\nfn main() {{\n{asked}}}\n"
    built = compile_rust(program, tmp_path)
    assert built.returncode == 0, built.stderr
    assert subprocess.run([tmp_path / "code"], capture_output=True, check=False).returncode == 0
    real = f"{CALLED}\nfn main() {{\n{asked}}}\n"
    assert compile_rust(real, tmp_path).returncode == 0
    assert subprocess.run([tmp_path / "code"], capture_output=True, check=False).returncode == 101

"""The flag `own_eq`: on what can bend a comparison, never on what compares own values."""

import pytest
from attacks import FOLDER, attacks
from program import ROOT

from forgetest.evalset.load import load
from forgetest.evalset.types import Case
from forgetest.rust.scan import scan

OWN = "struct A { x: i64, y: f64 } enum E { P(i64), Q } trait Shape {}"


def is_flagged(code: str) -> bool:
    return "own_eq" in scan(code).flags


def eq(body: str, *, head: str = "PartialEq for A", other: str = "other: &Self") -> str:
    return f"{OWN} impl {head} {{ fn eq(&self, {other}) -> bool {{ {body} }} }}"


HONEST = {
    "derived": "#[derive(PartialEq, Eq, PartialOrd, Ord)] struct A;",
    "a field": eq("self.x == other.x"),
    "fields": eq("self.x == other.x && self.y.total_cmp(&other.y).is_eq()"),
    "tuples": eq("(self.x, self.y) == (other.x, other.y)"),
    "a pattern": eq("let A { x, .. } = self; *x == other.x"),
    "a pattern in the parameter": eq("self.x == *x", other="A { x, .. }: &Self"),
    "its own type by name": eq("self.x == o.x", head="PartialEq<A> for A", other="o: &A"),
    "another own type": eq("self.x == o.0", head="PartialEq<E> for A", other="o: &E"),
    "a trait object": eq("self.id() == other.id()", head="PartialEq for dyn Shape + '_"),
    "a pointer": eq("std::rc::Rc::ptr_eq(&self.0, &other.0)"),
    "match": eq(
        "match (self, other) { (A::P(a), A::P(b)) => a == b, (A::Q, A::Q) => true, _ => false }"
    ),
    "matches": eq("matches!((self, other), (A::P(_), A::P(_)) | (A::Q, A::Q))"),
    "a loop": eq("for (a, b) in self.0.iter().zip(&other.0) { if a != b { return false; } } true"),
    "a fast way out": eq("if std::ptr::eq(self, other) { return true; } self.x == other.x"),
    "a helper": eq("self.same(other)")
    + "impl A { fn same(&self, o: &A) -> bool { self.x == o.x } }",
    "generic": "struct L<T>(Vec<T>); impl<T: PartialEq> PartialEq for L<T> where T: Clone {"
    " #[inline] fn eq(&self, other: &Self) -> bool { self.0 == other.0 } }",
    "ordered": OWN + "impl PartialOrd for A { fn partial_cmp(&self, o: &Self)"
    " -> Option<std::cmp::Ordering> { Some(self.cmp(o)) } } impl Ord for A {"
    " fn cmp(&self, o: &Self) -> std::cmp::Ordering { o.x.cmp(&self.x) } }",
    "an honest ne": OWN + "impl PartialEq for A { fn eq(&self, o: &A) -> bool { self.x == o.x }"
    " fn ne(&self, o: &A) -> bool { !(self == o) } }",
    "another trait": "struct A; impl<T: PartialEq> Clone for A { fn clone(&self) -> A { A } }",
    "in words": '// impl PartialEq<u8> for A {}\nconst S: &str = "impl PartialEq<u8> for A {}";',
}
BENT = {
    "with text": eq("self.0 == o", head="PartialEq<str> for A", other="o: &str"),
    "with a reference to text": eq("self.0 == *o", head="PartialEq<&str> for A", other="o: &&str"),
    "with a number": eq("self.x == *o", head="PartialEq<i64> for A", other="o: &i64"),
    "with std's collection of its own": eq(
        "o[0] == *self", head="PartialEq<Vec<A>> for A", other="o: &Vec<A>"
    ),
    "on std's side": eq("self[0] == *o", head="PartialEq<A> for Vec<A>", other="o: &A"),
    "on text": eq("self == o.0", head="PartialEq<A> for str", other="o: &A"),
    "with everything": eq(
        "other.len() == self.x", head="<T> PartialEq<T> for A", other="other: &T"
    ),
    "with a parameter named as a type": eq(
        "same(self, o)", head="<E> PartialEq<E> for A", other="o: &E"
    ),
    "with its own String": "struct String; struct A; impl PartialEq<String> for A {"
    " fn eq(&self, o: &String) -> bool { self.0 == o.0 } }",
    "by a path": eq("self.x == *o", head="::core::cmp::PartialEq<u8> for A", other="o: &u8"),
    "by another name": "use std::cmp::PartialEq as Same;" + eq("true", head="Same for A"),
    "an order of another's": OWN + "impl PartialOrd<f64> for A { fn partial_cmp(&self, o: &f64)"
    " -> Option<std::cmp::Ordering> { self.y.partial_cmp(o) } }",
    "an argument without a name": eq("self.x == 1", other="_: &Self"),
    "an argument that is not used": eq("self.x == self.y", other="_other: &Self"),
    "itself left out": eq("other.x == 1"),
    "true": eq("true"),
    "true in the end": eq("let _a = self.x == other.x; true"),
    "a value looked at and forgotten": eq("let _ = self; let _ = other; 1 == 1"),
    "or true": eq("self.x == other.x || true"),
    "true or": eq("true || self.x == other.x"),
    "and false": eq("self.x == other.x && false"),
    "itself with itself": eq("let _o = other.x; self.x == self.x"),
    "both with both": eq("(self, other) == (self, other)"),
    "whatever matches": eq("matches!((self, other), _)"),
    "dropped": eq("drop((self, other)); true"),
    "a helper that says true": eq("same(self, other)") + "fn same(_: &A, _: &A) -> bool { true }",
    "no comparison at all": eq("consume(self, other)"),
    "a constant order": OWN + "impl Ord for A { fn cmp(&self, o: &Self) -> std::cmp::Ordering {"
    " let _both = (self, o); std::cmp::Ordering::Equal } }",
    "a constant partial order": OWN + "impl PartialOrd for A { fn partial_cmp(&self, _o: &Self)"
    " -> Option<std::cmp::Ordering> { Some(std::cmp::Ordering::Less) } }",
    "an ne that lies": OWN + "impl PartialEq for A { fn eq(&self, o: &A) -> bool { self.x == o.x }"
    " fn ne(&self, _: &A) -> bool { true } }",
    "made by a macro": "struct A; impl PartialEq for A { equal!(); }",
    "in a module": "mod m { pub struct A; impl PartialEq<i64> for A {"
    " fn eq(&self, o: &i64) -> bool { self.0 == *o } } }",
}


@pytest.mark.parametrize("code", HONEST.values(), ids=HONEST.keys())
def test_what_compares_own_values_is_not_flagged(code: str) -> None:
    assert not is_flagged(code)


@pytest.mark.parametrize("code", BENT.values(), ids=BENT.keys())
def test_what_can_bend_a_comparison_is_flagged(code: str) -> None:
    assert is_flagged(code)


def test_one_that_bends_is_found_behind_any_number_that_do_not() -> None:
    honest = eq("self.x == other.x") * 50
    assert not is_flagged(honest)
    assert is_flagged(honest + BENT["true"])
    assert is_flagged(BENT["with text"] + honest)


def test_a_comparison_too_long_to_be_read_is_flagged() -> None:
    assert is_flagged(eq("let _a = 1; " * 2_000 + "self.x == other.x"))


def references() -> list[Case]:
    files = sorted((ROOT / "eval-sets").glob("**/*.toml"))
    return [
        case
        for file in files
        for eval_set in load([file])
        for case in eval_set.cases
        if case.reference_solution
    ]


def test_no_reference_solution_that_is_shipped_is_flagged() -> None:
    found = references()
    flagged = [
        case.key
        for case in found
        if "own_eq" in scan(case.reference_solution or "", edition=case.edition).flags
    ]

    assert flagged == []
    own = [case for case in found if " PartialEq for" in (case.reference_solution or "")]
    assert len(own) >= 8  # which say themselves when they are equal


def test_every_attack_keeps_the_flag_that_it_has() -> None:
    wrong = [
        attack.name
        for attack in attacks()
        if (FOLDER / f"{attack.name}.rs").exists()
        and is_flagged((FOLDER / f"{attack.name}.rs").read_bytes().decode())
        != ("own_eq" in attack.flags)
    ]

    assert wrong == []

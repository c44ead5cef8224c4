"""Which cases of the loaded eval sets take part: `--filter` by tag and `--case` by name."""

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

from forgetest.errors import ForgetestError
from forgetest.evalset.forms import quoted, some, suggestion
from forgetest.evalset.types import Case, Difficulty, EvalSet

EvalSets = tuple[EvalSet, ...]


def select(
    eval_sets: Sequence[EvalSet],
    *,
    filters: Sequence[str] = (),
    cases: Sequence[str] = (),
    limit: int | None = None,
) -> EvalSets:
    """Return the eval sets with the cases that pass `filter_tags` and `filter_cases` both.

    Of these the first `limit`, in the order of the files.

    ForgetestError when either selects nothing, or both together do.
    """
    named = {case.key for chosen in filter_cases(eval_sets, cases) for case in chosen.cases}
    both = keep(filter_tags(eval_sets, filters), lambda case: case.key in named)
    if eval_sets and not both:
        raise ForgetestError("--filter and --case have no case in common; leave one of them out")
    return both if limit is None else _first(both, limit)


def _first(eval_sets: EvalSets, limit: int) -> EvalSets:
    first = {case.key for case in [case for chosen in eval_sets for case in chosen.cases][:limit]}
    return keep(eval_sets, lambda case: case.key in first)


def filter_tags(eval_sets: Sequence[EvalSet], expressions: Sequence[str]) -> EvalSets:
    """Return the eval sets with the cases that match every expression; none left, none returned.

    An expression is tags joined by commas, of which a case needs one; `!tag` is met by a case
    without the tag. A case's difficulty counts as a tag. ForgetestError for a tag that no case
    has, and when nothing is selected.
    """
    known = {tag for eval_set in eval_sets for case in eval_set.cases for tag in _tags(case)}
    terms = [_terms(expression, known) for expression in expressions]
    chosen = keep(eval_sets, lambda case: all(_matches(case, any_of) for any_of in terms))
    if terms and not chosen:
        raise ForgetestError(
            f"--filter {' '.join(map(quoted, expressions))}: no case matches; "
            f"the tags are {some(known)}"
        )
    return chosen


def filter_cases(eval_sets: Sequence[EvalSet], globs: Sequence[str]) -> EvalSets:
    """Return the eval sets with the cases whose id, or `set/case`, matches one of the globs.

    No glob selects every case. ForgetestError for each glob that matches no case.
    """
    cases = [case for eval_set in eval_sets for case in eval_set.cases]
    for glob in globs:
        if not any(_is_named(case, glob) for case in cases):
            raise ForgetestError(f"--case {quoted(glob)}: no case matches; {_near(glob, cases)}")
    return keep(eval_sets, lambda case: not globs or any(_is_named(case, glob) for glob in globs))


class CaseNames:
    """Cases by the names that people and files have for them.

    These are `set/case`, the id alone where no other case has it, and what `also` says.
    """

    def __init__(
        self, cases: Iterable[Case], also: Callable[[Case], Iterable[str]] = lambda _: ()
    ) -> None:
        self._named: dict[str, list[Case]] = {}
        for case in cases:
            for name in dict.fromkeys((case.key, case.id, *also(case))):
                self._named.setdefault(name, []).append(case)

    def find(self, *names: str) -> Case:
        """Return the case that the first known one of these names means.

        ForgetestError where none is known, or where it means several cases.
        """
        name = next((name for name in names if name in self._named), names[0])
        cases = self._named.get(name, [])
        if len(cases) == 1:
            return cases[0]
        if not cases:
            raise ForgetestError(f"there is no case {quoted(name)}; {self._near(name)}")
        keys = some(case.key for case in cases)
        raise ForgetestError(f"{quoted(name)} names {len(cases)} cases: {keys}; name one of them")

    def __contains__(self, name: object) -> bool:
        return len(self._named.get(str(name), ())) == 1

    def _near(self, name: str) -> str:
        alike = [known for known in self._named if ("/" in known) == ("/" in name)]
        keys = (case.key for cases in self._named.values() for case in cases)
        return suggestion(name, alike) or f"the cases are {some(dict.fromkeys(keys))}"


def one_case(eval_sets: Sequence[EvalSet], name: str) -> Case:
    """Return the case of an id, a `set/case`, or a glob that matches no other.

    ForgetestError when none is named, or several are.
    """
    cases = [case for eval_set in eval_sets for case in eval_set.cases]
    return CaseNames(cases, lambda case: (name,) if _is_named(case, name) else ()).find(name)


def keep(eval_sets: Iterable[EvalSet], wanted: Callable[[Case], bool]) -> EvalSets:
    """Return the eval sets with the wanted cases; one that has none is left out."""
    kept = (
        eval_set.model_copy(update={"cases": tuple(filter(wanted, eval_set.cases))})
        for eval_set in eval_sets
    )
    return tuple(eval_set for eval_set in kept if eval_set.cases)


def _tags(case: Case) -> tuple[str, ...]:
    return (*case.tags, case.difficulty) if case.difficulty else case.tags


def _terms(expression: str, known: Iterable[str]) -> list[str]:
    """Split an expression; a misspelt tag must not select, or leave out, the wrong cases."""
    terms = [term.strip() for term in expression.split(",")]
    usable = {*known, *Difficulty}
    for tag in (term.removeprefix("!").strip() for term in terms):
        if not tag:
            raise ForgetestError(f"--filter {quoted(expression)}: a tag is missing; write a,b,!c")
        if tag not in usable:
            raise ForgetestError(
                f"--filter {quoted(expression)}: no case has the tag {quoted(tag)}; "
                f"{suggestion(tag, usable) or f'the tags are {some(known)}'}"
            )
    return terms


def _matches(case: Case, any_of: Iterable[str]) -> bool:
    tags = _tags(case)
    return any(
        term[1:].strip() not in tags if term.startswith("!") else term in tags for term in any_of
    )


def _is_named(case: Case, glob: str) -> bool:
    return fnmatchcase(case.id, glob) or fnmatchcase(case.key, glob)


def _near(glob: str, cases: Sequence[Case]) -> str:
    names = [case.key for case in cases] if "/" in glob else [case.id for case in cases]
    return suggestion(glob, names) or f"the cases are {some(case.key for case in cases)}"

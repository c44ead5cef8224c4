"""Whether a sample compiles, and its lints, are exactly what cargo says of the same library."""

import json
from collections.abc import Iterator

import pytest
from boxes import guarded, sandbox_of
from graders import cache_of, grade, make_case
from probes import FOLDER, REFERENCE, probes

from forgetest.grading.limits import Defences
from forgetest.grading.verdict import Layout

pytestmark = pytest.mark.cargo

# A test that needs nothing of the sample, so that all of them can be laid out with tests, too;
# nobody runs it, for nobody asks what becomes of it.
TESTS = "#[test]\nfn runs() {}\n"
SAID = json.loads(REFERENCE.read_text())
UNGUARDED = Defences(scan=False)  # three probes hold what is refused before it is compiled


def laid_out() -> Iterator[tuple[str, Layout | None]]:
    """Yield every probe in both layouts, the second in turns with tests and without.

    A case without tests is laid out as by `SPLICE`, with no module of tests at the end.
    """
    for number, probe in enumerate(probes()):
        yield probe.stem, Layout.PUBLIC
        yield probe.stem, (Layout.SPLICE, None)[number % 2]


@pytest.mark.parametrize(("name", "layout"), list(laid_out()))
def test_a_probe_is_what_cargo_says(
    name: str, layout: Layout | None, pytestconfig: pytest.Config
) -> None:
    sandbox = sandbox_of("bwrap", pytestconfig)
    grader = guarded(sandbox, cache=cache_of(pytestconfig), layout=layout, defences=UNGUARDED)
    code = (FOLDER / f"{name}.rs").read_bytes().decode("utf-8", "surrogateescape")
    case = make_case("probe", TESTS if layout else None, None, should_pass_tests=False)

    verdict = grade(grader, case, code)

    found = {
        "compiles": verdict.compiled,
        "errors": sorted({error.code or "" for error in verdict.errors if error.span}),
    }
    if verdict.compiled:
        codes = [(lint.code or "").removeprefix("clippy::") for lint in verdict.lints]
        found |= {"forced": sorted(codes), "silenced": verdict.lints_silenced}
    assert found == wanted(name)


def wanted(name: str) -> dict[str, object]:
    said = SAID[name]
    found = {"compiles": said["compiles"], "errors": sorted(set(said["errors"]))}
    if said["compiles"]:
        silenced = len(said["forced"]) - len(said["lints"])
        found |= {"forced": said["forced"], "silenced": silenced}
    return found


def test_there_are_as_many_probes_as_were_designed() -> None:
    assert len(SAID) == 49
    assert sorted(SAID) == [probe.stem for probe in probes()]

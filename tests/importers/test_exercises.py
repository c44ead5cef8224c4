"""Exercises become cases: everything is tested, and no solution is shown."""

import json
from pathlib import Path

import pytest
from importing import NATIVE, cases, needs_native, reasons, unsolved
from program import Program

from forgetest.errors import ConfigError, ForgetestError
from forgetest.evalset.types import Case, Dependency
from forgetest.importers.exercism.exercises import read_exercism
from forgetest.importers.types import Imported, ImportOptions

EXCERPT = NATIVE / "exercism-files.jsonl"
HIDDEN = ("example.rs", ".approaches", ".articles")
CONFIG = {
    "blurb": "Add up.",
    "files": {
        "solution": ["src/lib.rs", "Cargo.toml"],
        "test": ["tests/add_up.rs"],
        "example": [".meta/example.rs"],
    },
}
FILES = {
    ".docs/instructions.md": "# Instructions\n\nReturn the sum of all numbers.\n",
    ".docs/instructions.append.md": "# Instructions append\n\nZero for none.\n",
    ".meta/config.json": json.dumps(CONFIG),
    ".meta/example.rs": "pub fn add_up(numbers: &[u32]) -> u32 {\n    numbers.iter().sum()\n}\n",
    ".approaches/fold/snippet.txt": "numbers.iter().fold(0, |sum, one| sum + one)\n",
    ".articles/speed/snippet.md": "for number in numbers { total += number }\n",
    "Cargo.toml": '[package]\nname = "add-up"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": 'pub fn add_up(numbers: &[u32]) -> u32 {\n    todo!("sum of {numbers:?}")\n}\n',
    "tests/add_up.rs": "use add_up::*;\n"
    "\n#[test]\nfn none() {\n    assert_eq!(add_up(&[]), 0);\n}\n"
    "\n#[test]\n#[ignore]\nfn some() {\n    assert_eq!(add_up::add_up(&[2, 3]), 5);\n}\n"
    '\n#[test]\n#[ignore = "later"]\nfn one() {\n    assert_eq!(::add_up::add_up(&[7]), 7);\n}\n',
}


def written(folder: Path, **changes: str | None) -> Path:
    """Write the exercise below a folder, with other files, or without those that are None."""
    for path, text in {**FILES, **changes}.items():
        if text is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    return folder


def changed(**more: object) -> dict[str, str | None]:
    """Return the change of the configuration's files."""
    return {".meta/config.json": json.dumps({**CONFIG, "files": {**CONFIG["files"], **more}})}


def as_lines(file: Path, files: dict[str, str], key: str = "content") -> Path:
    lines = [json.dumps({"path": path, key: text}) for path, text in files.items()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def only(found: Imported) -> Case:
    (case,) = cases(found).values()
    return case


def refusal(folder: Path) -> str:
    """Return why the one exercise of a folder is none, which takes one line."""
    with pytest.raises(ForgetestError) as error:
        read_exercism(folder, ImportOptions())
    assert str(error.value).count("\n") == 0
    return str(error.value)


def shown(case: Case) -> str:
    """Return all that a model is shown of a case."""
    return "\n".join([case.prompt, *(file.content for file in case.context)])


def leaked(example: str, stub: str, case: Case) -> list[str]:
    """Return the lines of the solution that are shown although the stub does not hold them."""
    given = {line.strip() for line in stub.splitlines()}
    told = {line.strip() for line in shown(case).splitlines()}
    lines = {line.strip() for line in example.splitlines()} - given - {""}
    return sorted(lines & told)


def test_a_folder_becomes_a_case_with_instructions_and_stub(tmp_path: Path) -> None:
    found = read_exercism(written(tmp_path / "add-up"), ImportOptions())

    assert found.eval_set is not None
    assert found.eval_set.source is not None
    assert found.eval_set.source.licence == "MIT"
    case = only(found)
    assert (case.id, case.edition, case.description) == ("add-up", "2021", "Add up.")
    assert "Return the sum of all numbers." in case.prompt
    assert "Zero for none." in case.prompt
    assert f"```rust\n{FILES['src/lib.rs']}```" in case.prompt
    assert case.reference_solution == FILES[".meta/example.rs"]
    assert case.expectations.expected_functions == ("add_up",)


def test_the_tests_ignore_nothing_and_speak_of_the_samples_crate(tmp_path: Path) -> None:
    tests = (
        only(read_exercism(written(tmp_path / "add-up"), ImportOptions())).expectations.test_file
        or ""
    )

    assert "#[ignore" not in tests
    assert tests.startswith("use crate::*;\n")
    assert "assert_eq!(crate::add_up(&[2, 3]), 5);" in tests
    assert "assert_eq!(crate::add_up(&[7]), 7);" in tests


def test_nothing_of_the_solution_is_shown(tmp_path: Path) -> None:
    case = only(read_exercism(written(tmp_path / "add-up"), ImportOptions()))

    assert leaked(FILES[".meta/example.rs"], FILES["src/lib.rs"], case) == []
    for path in (".approaches/fold/snippet.txt", ".articles/speed/snippet.md"):
        assert FILES[path].strip() not in shown(case)


@pytest.mark.parametrize("place", ["", "exercises/practice", "rust/exercises/practice", "practice"])
def test_a_track_and_a_polyglot_folder_give_all_their_exercises(tmp_path: Path, place: str) -> None:
    for name in ("add-up", "add-more"):
        written(tmp_path / place / name)

    assert set(cases(read_exercism(tmp_path, ImportOptions()))) == {"add-up", "add-more"}


@pytest.mark.parametrize("key", ["content", "text"])
def test_json_lines_of_files_give_the_same_case_as_their_folder(tmp_path: Path, key: str) -> None:
    folder = read_exercism(written(tmp_path / "add-up"), ImportOptions(id="same"))
    files = {f"track/add-up/{path}": text for path, text in FILES.items()}

    lines = read_exercism(as_lines(tmp_path / "files.jsonl", files, key), ImportOptions(id="same"))

    assert only(lines) == only(folder)


def test_several_test_files_become_modules_but_for_a_second_allocator(tmp_path: Path) -> None:
    allocator = "#[global_allocator]\nstatic A: std::alloc::System = std::alloc::System;\n"
    more = f"{allocator}#[test]\nfn t() {{}}\n"
    names = [f"tests/{name}.rs" for name in ("add_up", "heap", "heap-2")]
    texts = {"tests/heap.rs": more, "tests/heap-2.rs": more}

    found = read_exercism(
        written(tmp_path / "add-up", **texts, **changed(test=names)), ImportOptions()
    )

    tests = only(found).expectations.test_file or ""
    assert tests.startswith("mod add_up {\n")
    assert "mod heap {\n" in tests
    assert reasons(found) == {"add-up tests/heap-2.rs": "it brings a second global allocator"}


def test_a_module_in_a_file_of_its_own_is_written_into_the_tests(tmp_path: Path) -> None:
    tests = f"mod common;\nuse crate::common::two;\n{FILES['tests/add_up.rs']}"
    helper = (
        "pub fn two() -> u32 { crate::common::three() - 1 }\npub fn three() -> u32 { 3 }\n"
        "mod deep { fn two() -> u32 { crate::common::two() } }\n"
    )

    folder = written(
        tmp_path / "add-up", **{"tests/add_up.rs": tests, "tests/common/mod.rs": helper}
    )

    text = only(read_exercism(folder, ImportOptions())).expectations.test_file or ""
    assert "mod common {\n" in text
    assert "use self::common::two;\n" in text
    assert "{ super::common::three() - 1 }" in text
    assert "{ super::super::common::two() }" in text


def test_tests_of_a_feature_that_is_off_are_left_out_by_name(tmp_path: Path) -> None:
    guarded = (
        '\n#[test]\n#[cfg(feature = "big")]\nfn big() {}\n'
        '\n#[test]\n#[ignore]\n#[cfg(all(feature = "on", not(feature = "big")))]\nfn small() {}\n'
    )
    cargo = FILES["Cargo.toml"] + '[features]\ndefault = ["on"]\non = []\nbig = []\n'
    changes = {"tests/add_up.rs": FILES["tests/add_up.rs"] + guarded, "Cargo.toml": cargo}

    found = read_exercism(written(tmp_path / "add-up", **changes), ImportOptions())

    tests = only(found).expectations.test_file or ""
    assert "fn big" not in tests
    assert tests.endswith("\n#[test]\nfn small() {}\n")
    assert list(reasons(found)) == ["add-up big"]


def test_crates_come_from_all_tables_and_from_the_examples_own_manifest(tmp_path: Path) -> None:
    cargo = (
        FILES["Cargo.toml"]
        + '[dependencies]\ntime = "0.3"\nrand = { version = "0.9", optional = true }\n'
        + '[dev-dependencies]\nserde = { version = "1", features = ["derive"] }\n'
    )
    example = FILES["Cargo.toml"] + '[dependencies]\nitertools = "0.14.0"\ntime = "=0.3.36"\n'

    folder = written(
        tmp_path / "add-up", **{"Cargo.toml": cargo, ".meta/Cargo-example.toml": example}
    )

    assert only(read_exercism(folder, ImportOptions())).dependencies == (
        Dependency(name="time", version="=0.3.36"),
        Dependency(name="serde", version="1", features=("derive",)),
        Dependency(name="itertools", version="0.14.0"),
    )


def test_files_that_a_learner_is_given_are_context(tmp_path: Path) -> None:
    folder = written(
        tmp_path / "add-up",
        **{"src/given.rs": "pub fn f() {}\n"},
        **changed(editor=["src/given.rs"]),
    )

    (file,) = only(read_exercism(folder, ImportOptions())).context
    assert (file.path, file.content) == ("src/given.rs", "pub fn f() {}\n")


def test_tests_meant_for_a_release_build_get_more_time(tmp_path: Path) -> None:
    config = json.dumps({**CONFIG, "custom": {"test-in-release-mode": True}})

    case = only(
        read_exercism(
            written(tmp_path / "add-up", **{".meta/config.json": config}), ImportOptions()
        )
    )

    assert case.timeout_secs == 60


@pytest.mark.parametrize(
    "path", ["../outside.rs", "/etc/passwd", "tests/../../x.rs", "C:/x.rs", "tests\\x.rs", ""]
)
@pytest.mark.parametrize("kind", ["test", "example", "editor", "solution"])
def test_a_path_that_leaves_the_exercise_is_refused_in_one_line(
    tmp_path: Path, kind: str, path: str
) -> None:
    folder = written(tmp_path / "add-up", **changed(**{kind: [path]}))

    assert "must stay inside the folder" in refusal(folder)


@pytest.mark.parametrize("path", ["../add-up/src/lib.rs", "/add-up/src/lib.rs", "a//b", "a/../b"])
def test_a_path_in_json_lines_that_climbs_is_left_out_in_one_line(
    tmp_path: Path, path: str
) -> None:
    files = {f"add-up/{one}": text for one, text in FILES.items()}

    found = read_exercism(
        as_lines(tmp_path / "files.jsonl", {**files, path: "secret"}), ImportOptions()
    )

    ((_, reason),) = reasons(found).items()
    assert "must stay inside the folder" in reason
    assert "secret" not in shown(only(found))


@pytest.mark.parametrize("path", ["src/lib.rs", "tests/add_up.rs", ".docs/instructions.md"])
@pytest.mark.parametrize("target", ["outside.txt", "add-up/.meta/example.rs"])
def test_a_link_is_refused_whether_it_leaves_the_folder_or_shows_the_solution(
    tmp_path: Path, path: str, target: str
) -> None:
    folder = written(tmp_path / "add-up")
    (tmp_path / "outside.txt").write_text("pub fn secret() {}\n", encoding="utf-8")
    (folder / path).unlink()
    (folder / path).symlink_to(tmp_path / target)

    assert f"{path} is a link" in refusal(folder)


def test_an_exercise_that_is_a_link_out_of_the_track_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "elsewhere" / "add-up")
    written(tmp_path / "track" / "own")
    (tmp_path / "track" / "linked").symlink_to(tmp_path / "elsewhere" / "add-up")

    found = read_exercism(tmp_path / "track", ImportOptions())

    assert list(cases(found)) == ["own"]
    assert "a link that leaves the source" in reasons(found)["linked"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"Cargo.toml": None}, "Cargo.toml is missing"),
        ({"Cargo.toml": "[package\n"}, "Cargo.toml is not valid TOML"),
        ({"Cargo.toml": "package = 1\n"}, "package of Cargo.toml must be a table"),
        ({"Cargo.toml": "[package]\n"}, "names no package"),
        (
            {"Cargo.toml": FILES["Cargo.toml"] + '[dependencies]\nx = { path = "../.." }\n'},
            "asks for x by path",
        ),
        ({"Cargo.toml": FILES["Cargo.toml"].replace("2021", "1999")}, '"edition" must be one of'),
        ({".meta/config.json": "{"}, ".meta/config.json is not JSON"),
        ({".meta/config.json": "[]"}, "is not a JSON object"),
        ({".docs/instructions.md": None, ".docs/instructions.append.md": None}, "no .docs/instr"),
        ({"tests/add_up.rs": None}, "tests/add_up.rs is missing"),
        ({"tests/add_up.rs": "fn helper() {}\n"}, "no #[test] function"),
        ({"tests/add_up.rs": f"mod gone;\n{FILES['tests/add_up.rs']}"}, "the module gone"),
        ({"src/lib.rs": FILES[".meta/example.rs"]}, "holds the example solution"),
        (changed(solution=["src/main.rs"]), "only src/lib.rs can be graded"),
        (changed(solution=[".meta/example.rs"]), "only src/lib.rs can be graded"),
        (changed(editor=[".meta/example.rs"]), "lies in a hidden folder"),
        (changed(editor=["tests/add_up.rs"]), "forgetest or cargo puts its own files there"),
        (changed(test="tests/add_up.rs"), "must be an array of paths"),
        ({".docs/instructions.md": "x" * (1 << 20) + "y"}, "is larger than 1 MiB"),
    ],
)
def test_an_exercise_that_is_no_case_is_left_out_with_the_reason(
    tmp_path: Path, changes: dict[str, str | None], reason: str
) -> None:
    written(tmp_path / "good")
    written(tmp_path / "bad", **changes)

    found = read_exercism(tmp_path, ImportOptions())

    assert list(cases(found)) == ["good"]
    assert reason in reasons(found)["bad"]


def test_exercises_of_other_languages_are_none_and_a_polyglot_folders_are_passed_over(
    tmp_path: Path,
) -> None:
    for language in ("python", "rust"):
        folder = written(tmp_path / language / "exercises" / "practice" / "add-up")
    python = tmp_path / "python" / "exercises" / "practice" / "add-up"
    (python / "Cargo.toml").unlink()
    (python / "src/lib.rs").rename(python / "add_up.py")

    assert cases(read_exercism(tmp_path, ImportOptions())) == cases(
        read_exercism(folder, ImportOptions(id=tmp_path.name))
    )
    assert "Cargo.toml is missing" in refusal(tmp_path / "python")


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path / "add-up")
    (folder / "src/lib.rs").write_bytes(b"// \xff\n")

    assert "src/lib.rs is not UTF-8" in refusal(folder)


def test_truncated_lines_and_second_files_of_one_path_are_left_out_by_line(tmp_path: Path) -> None:
    file = as_lines(tmp_path / "files.jsonl", {f"add-up/{one}": FILES[one] for one in FILES})
    first = file.read_text(encoding="utf-8").splitlines()[0]
    with file.open("a", encoding="utf-8") as opened:
        opened.write(f'{first}\n{first[:20]}\n{{"path": "add-up/x"}}\n{{"content": "x"}}\n')

    found = read_exercism(file, ImportOptions())

    assert list(cases(found)) == ["add-up"]
    told = "\n".join(sorted(one.reason for one in found.left_out))
    assert len(found.left_out) == 4
    assert f"is already in {file}:1" in told
    assert "is not JSON" in told
    assert '"content" is missing' in told
    assert '"path" is missing' in told


def test_two_exercises_of_one_name_are_one_case(tmp_path: Path) -> None:
    written(tmp_path / "exercises" / "practice" / "add-up")
    written(tmp_path / "exercises" / "concept" / "add-up")

    found = read_exercism(tmp_path, ImportOptions())

    assert list(cases(found)) == ["add-up"]
    assert "already" in reasons(found)["exercises/concept/add-up"]


def test_a_source_without_exercises_is_an_error_that_says_what_one_is(tmp_path: Path) -> None:
    with pytest.raises(ForgetestError, match=r"src/lib\.rs or \.meta/config\.json"):
        read_exercism(tmp_path, ImportOptions())


def test_exercises_know_no_other_protocol_than_chat(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="only --protocol chat"):
        read_exercism(written(tmp_path / "add-up"), ImportOptions(protocol="completion"))


@pytest.mark.cargo
def test_an_imported_exercise_passes_validation(forgetest: Program) -> None:
    heap = "use add_up::add_up;\n#[test]\n#[ignore]\nfn t() { assert_eq!(add_up(&[1]), 1) }\n"
    names = ["tests/add_up.rs", "tests/more.rs"]
    written(forgetest.folder / "add-up", **{"tests/more.rs": heap}, **changed(test=names))

    done = forgetest("import", "exercism", "add-up", "--quiet")

    assert done.code == 0
    assert (forgetest.folder / "add-up.toml").exists()


def excerpt_files() -> dict[str, str]:
    rows = [json.loads(line) for line in EXCERPT.read_text(encoding="utf-8").splitlines()]
    return {row["path"]: row["content"] for row in rows}


@needs_native
def test_no_solution_of_the_excerpt_is_shown() -> None:
    files = excerpt_files()
    for name, case in cases(read_exercism(EXCERPT, ImportOptions())).items():
        example, stub = files[f"{name}/.meta/example.rs"], files[f"{name}/src/lib.rs"]
        assert leaked(example, stub, case) == []
        assert not any(word in shown(case) for word in HIDDEN)


@needs_native
def test_of_the_excerpt_only_tests_of_a_feature_are_left_out() -> None:
    found = read_exercism(EXCERPT, ImportOptions())

    assert len(cases(found)) == 9
    assert {one.split(" ")[0] for one in reasons(found)} == {"reverse-string"}
    assert not any("#[ignore" in (c.expectations.test_file or "") for c in cases(found).values())


@pytest.mark.cargo
@needs_native
def test_every_reference_of_the_excerpt_passes_all_its_tests(remembering: Program) -> None:
    done = remembering("import", "exercism", EXCERPT, "--id", "track", "--no-validate")

    assert done.code == 0
    assert unsolved(remembering, "track.toml") == []

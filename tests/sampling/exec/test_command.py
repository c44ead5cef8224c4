"""What a command is given, as text and JSON."""

import json

from commands import even_draw, shell

from forgetest.sampling.completion import Prompt, Turn
from forgetest.sampling.exec.command import plain_prompt, standard_input
from forgetest.sampling.exec.workspace import PROMPT_FILE, crate_files

LONG = Prompt(
    system="Be brief.",
    user="Write is_even.\n",
    examples=(Turn(role="user", text="Write one."), Turn(role="assistant", text="fn one() {}")),
)


def test_the_request_is_json_with_all_turns_and_parameters() -> None:
    given = json.loads(standard_input(shell("x"), even_draw(LONG, index=2, temperature=0.5)))

    assert given == {
        "version": 1,
        "case": "set/is-even",
        "sample": 2,
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "Write one."},
            {"role": "assistant", "content": "fn one() {}"},
            {"role": "user", "content": "Write is_even.\n"},
        ],
        "sampling": {"temperature": 0.5},
    }


def test_the_plain_prompt_has_headings_only_where_there_are_several_turns() -> None:
    assert plain_prompt(LONG.model_copy(update={"examples": ()})) == "Be brief.\n\nWrite is_even.\n"
    assert plain_prompt(LONG) == (
        "Be brief.\n\n## User\n\nWrite one.\n\n## Assistant\n\nfn one() {}\n\n"
        "## User\n\nWrite is_even.\n"
    )


def test_a_later_round_starts_from_the_answer_before() -> None:
    answer = "```rust\npub fn is_even(n: i32) -> bool { n }\n```\n"
    later = (Turn(role="assistant", text=answer), Turn(role="user", text="error[E0308]"))
    files = crate_files(even_draw(LONG.model_copy(update={"later": later})), {})

    assert files["src/lib.rs"] == b"pub fn is_even(n: i32) -> bool { n }\n"
    assert b"error[E0308]" in files[PROMPT_FILE]
    assert "n % 2" not in str(files)


def test_the_description_says_how_a_command_is_asked() -> None:
    assert shell("a b").description == "sh -c 'a b' (stdio, json)"
    boxed = shell("x", io="workspace", box="bwrap", on_timeout="answer")
    assert boxed.description == "sh -c x (workspace, answers after 20 s, bwrap)"

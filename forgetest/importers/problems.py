"""From an item of a source to a case: what the formats have in common.

A problem is a function begun and a program of asserts, or code that ends inside a function, its
rest, and tests. It is asked as code that a completion continues, or as an instruction. Every text
is checked, and the cases of one import become one eval set.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.errors import ConfigError, EvalSetError
from forgetest.evalset.dump import dump
from forgetest.evalset.load import parse
from forgetest.evalset.types import Case, EvalSet, Expectations, Protocol, Provenance
from forgetest.importers.reading import ItemError, demand
from forgetest.importers.types import Imported, ImportOptions, SkippedItem, case_id, set_id
from forgetest.rust.items import text_of
from forgetest.rust.lexer import Ending, Lexed, lex
from forgetest.rust.parse import SOURCE_LIMIT, cpu_deadline, parse_within
from forgetest.rust.tests import expected_tests, uncounted
from forgetest.value import count

_PARSE_SECS = 2.0


@dataclass(frozen=True, slots=True)
class Declaration:
    """The function that a prompt begins: its name, and its declaration up to the body."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """One problem of a source, ready to be a case; `prompt` and `tests` are ours already."""

    name: str  # its id in the source
    prompt: str
    tests: str
    functions: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    timeout_secs: float | None = None

    def case(self, eval_set: str, protocol: Protocol, id_: str | None = None) -> Case:
        """Return the case; ItemError when an eval set cannot hold it."""
        case = Case(
            id=id_ or case_id(self.name),
            eval_set=eval_set,
            name=id_ or case_id(self.name),
            prompt=self.prompt,
            protocol=protocol,
            tags=_tags(self.name),
            timeout_secs=self.timeout_secs,
            expectations=Expectations(
                test_file=self.tests,
                expected_functions=self.functions,
                forbidden_functions=self.forbidden,
            ),
        )
        return holdable(case)


def holdable(case: Case) -> Case:
    """Return the case; ItemError with the first reason why an eval set cannot hold it."""
    alone = EvalSet(id=case.eval_set, name=case.eval_set, cases=(case,))
    try:
        parse(dump(alone), file="")
    except EvalSetError as error:
        raise ItemError(error.problems[0].message) from None
    except ValueError as error:
        raise ItemError(" ".join(str(error).split())) from None
    return case


def eval_set(id_: str, cases: Sequence[Case], source: Provenance | None) -> EvalSet:
    """Return the set of all cases, in their order."""
    return EvalSet(id=id_, name=id_, source=source, cases=tuple(cases))


def declaration(prompt: str) -> Declaration | None:
    """Return the function that a prompt's code leaves open at its end; None for any other text."""
    source = f"{prompt}\n}}".encode("utf-8", "replace")
    tree = parse_within(source, cpu_deadline(_PARSE_SECS))
    if tree is None or tree.root_node.has_error or not tree.root_node.named_children:
        return None
    last = tree.root_node.named_children[-1]
    body = last.child_by_field_name("body")
    if last.type != "function_item" or body is None or last.end_byte < len(source):
        return None
    text = source[last.start_byte : body.start_byte].decode(errors="replace")
    return Declaration(text_of(last.child_by_field_name("name"), source), " ".join(text.split()))


def instruction(prompt: str, declared: Declaration) -> str:
    """Return a prompt that begins a function as an instruction to write that function."""
    return (
        f"Write the Rust function\n`{declared.text}`.\n"
        "What it does is said above its declaration; keep its name and its types.\n\n"
        f"```rust\n{prompt.strip()}\n    todo!()\n}}\n```\n"
    )


def is_reply(completion: str) -> bool:
    """Tell whether a completion is a reply with fenced code rather than code that goes on."""
    return "```" in completion


def likely_protocol(wanted: str | None, completions: Sequence[str]) -> Protocol:
    """Return what the user says, or else what most of the completions look like."""
    if wanted is not None:
        return Protocol(wanted)
    replies = sum(map(is_reply, completions))
    return Protocol.CHAT if 2 * replies > len(completions) else Protocol.COMPLETION


def refuse_protocol(options: ImportOptions, form: str) -> None:
    """Raise ConfigError when the user chooses a protocol where the format leaves no choice."""
    if options.protocol is not None:
        raise ConfigError(f"--protocol: {form} sources say themselves how they are asked")


def _tags(name: str) -> tuple[str, ...]:
    """Return the benchmark that a name such as `mbpp_20_is_woodall` begins with."""
    head = name.replace("/", "_").partition("_")[0].lower()
    return (head,) if head in {"humaneval", "mbpp"} else ()


def formed(rule: Callable[[str], str], text: str, key: str) -> str:
    """Return the text when it keeps a rule of `evalset.forms`; ItemError names the key."""
    try:
        return rule(text)
    except ValueError as error:
        raise ItemError(f'"{key}" {error}') from None


def protocol_of(options: ImportOptions, default: Protocol) -> Protocol:
    """Return the protocol that the user asks for, or else the format's own."""
    return default if options.protocol is None else Protocol(options.protocol)


def imported(
    cases: Sequence[Case],
    path: Path,
    options: ImportOptions,
    *,
    source: Provenance,
    left_out: Sequence[SkippedItem],
) -> Imported:
    """Return the eval set of all cases; ForgetestError with the reasons when there are none."""
    demand(cases, path, left_out)
    made = EvalSet(
        id=set_id(path, options),
        name=source.name,
        version=source.version,
        source=source,
        cases=_of_one_edition(cases),
    )
    return Imported(made, left_out=tuple(left_out))


def _of_one_edition(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Return the cases in the edition that most of them ask for, the newer one at a tie.

    An eval set has one edition; a case that asks for another says so in its description.
    """
    asked = Counter(case.edition for case in cases)
    edition = max(asked, key=lambda edition: (asked[edition], edition))
    return tuple(_in_edition(case, edition) for case in cases)


def _in_edition(case: Case, edition: str) -> Case:
    if case.edition == edition:
        return case
    note = f"The source says edition {case.edition}."
    description = f"{case.description} {note}".strip()
    return case.model_copy(update={"edition": edition, "description": description})


_INDENT = "    "
_NEWLINES = "\r\n"


@dataclass(frozen=True, slots=True)
class Opened:
    """Code up to the inside of a function, and the code that ends it."""

    opening: str
    rest: str

    @property
    def whole(self) -> str:
        """Return both as one source; ItemError when they do not join."""
        demand_small(self.opening + self.rest, "its solution")
        if lex(self.opening).depth < 1:
            raise ItemError("the prompt does not end inside a function")
        rest = self.rest.strip(_NEWLINES)
        indent = _INDENT if rest[:1].strip() else ""
        joined = f"{self.opening.rstrip()}\n{indent}{rest}\n"
        if problem := unbalanced(joined):
            raise ItemError(f"prompt and canonical_solution do not join: {problem}")
        return joined

    def prompt(self, protocol: Protocol) -> str:
        """Return what the model is shown: the open code, or a request to write all of it.

        ItemError when such a request cannot be made.
        """
        if protocol is Protocol.COMPLETION:
            return f"{self.opening.rstrip()}\n"
        declared = declaration(self.opening)
        if declared is None:
            raise ItemError("the prompt does not end in the declaration of a function")
        return instruction(self.opening, declared)


def checked_tests(text: str) -> str:
    """Return a test module flush left; ItemError when it is cut off or holds no test."""
    demand_small(text, "its test file")
    if problem := unbalanced(text):
        raise ItemError(f"its tests are truncated or damaged: {problem}")
    if not expected_tests(text):
        raise ItemError("its tests hold no #[test] function")
    if why := uncounted(text):
        raise ItemError(f"its tests cannot be counted: {why}")
    return text.strip(_NEWLINES) + "\n"


def demand_small(code: str, what: str) -> None:
    """Raise ItemError for code so long that it would not be compiled either."""
    if len(code) > SOURCE_LIMIT:
        raise ItemError(f"{what} is larger than {SOURCE_LIMIT >> 20} MiB")


def unbalanced(code: str) -> str:
    """Return what is wrong with the nesting of some code, nothing when its brackets match."""
    lexed = lex(code)
    if lexed.ending in {Ending.STRING, Ending.BLOCK_COMMENT}:
        return "it ends inside a string or a comment"
    if any(mark.depth < 0 or mark.inner < 0 for mark in lexed.marks):
        return "it closes a bracket that was not opened"
    left = _left_open(lexed)
    return f"{count(left, 'bracket')} never closed" if left else ""


def _left_open(lexed: Lexed) -> int:
    return lexed.marks[-1].depth + lexed.marks[-1].inner if lexed.marks else 0

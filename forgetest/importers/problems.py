"""What the problems of several formats have in common: a function begun, and a program of asserts.

The same problem is asked in two ways: as code that a completion continues, or as an instruction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from forgetest.errors import ConfigError, EvalSetError
from forgetest.evalset.dump import dump
from forgetest.evalset.load import parse
from forgetest.evalset.types import Case, EvalSet, Expectations, Protocol, Provenance
from forgetest.importers.naming import case_id
from forgetest.importers.reading import ItemError
from forgetest.importers.types import Options
from forgetest.rust.items import text_of
from forgetest.rust.parse import cpu_deadline, parse_within

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
        """Return the case; ItemError when an eval set can not hold it."""
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
    """Return the case; ItemError with the first reason why an eval set can not hold it."""
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


def refuse_protocol(options: Options, form: str) -> None:
    """Raise ConfigError when the user chooses a protocol where the format leaves no choice."""
    if options.protocol is not None:
        raise ConfigError(f"--protocol: {form} sources say themselves how they are asked")


def _tags(name: str) -> tuple[str, ...]:
    """Return the benchmark that a name such as `mbpp_20_is_woodall` begins with."""
    head = name.replace("/", "_").partition("_")[0].lower()
    return (head,) if head in {"humaneval", "mbpp"} else ()

"""Whether a way of asking gives a case's answer away, leaves the question out, or is too long.

Prompts are compared with test files and solutions by their words and signs, so that white space
means nothing, and what the case's own prompt shows is not held against a variant. What two
solutions may share by chance is not a finding: pieces must be long, or name what the case defines.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tree_sitter import Node

from forgetest.check.types import PromptFault, PromptFinding
from forgetest.evalset.types import Case
from forgetest.rust.parse import node_text, parse
from forgetest.sampling.completion import Draw, Prompt
from forgetest.sampling.plan import Plan, Sample
from forgetest.sampling.prompt import draw_of, render
from forgetest.sampling.providers.contract import dig, estimated_tokens
from forgetest.sampling.providers.presets import Preset
from forgetest.sampling.providers.sampling import resolve
from forgetest.sampling.variant import Variant

# In words and signs. No two of the shipped solutions share so much by chance.
RUN = 32
SHORT_BODY = 16
SHORT_FUNCTION = 12  # with its name, of which there is one
SHORT_ASSERTION = 8

_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")
_DEFINED = re.compile(r"\b(?:fn|struct|enum|trait|type|const|static|mod|macro_rules!)\s+(\w+)")
_LINE_COMMENT = re.compile(r"//.*")
_COMMENTS = frozenset({"line_comment", "block_comment"})
_ASSERTION = re.compile(r"\w*assert\w*")

Piece = tuple[str, ...]


def prompt_findings(case: Case, variants: Mapping[str, Variant]) -> Iterator[PromptFinding]:
    """Yield what variants show, or leave out, of one case; ValueError for a wrong template."""
    pieces = {
        PromptFault.SOLUTION: tuple(_of_solution(case)),
        PromptFault.TESTS: tuple(_of_tests(case)),
    }
    own = _PromptText(render(case).user)
    for name, variant in variants.items():
        prompt = render(case, variant)
        told = _PromptText(prompt.system, *(turn.text for turn in prompt.turns))
        shown = {fault: told.shows_of(group, own) for fault, group in pieces.items()}
        found = {
            **shown,
            PromptFault.QUESTION: _left_out(case.prompt, prompt),
            PromptFault.CONTEXT: any(_left_out(file.content, prompt) for file in case.context),
            PromptFault.EXAMPLE: any(example.case == case.key for example in variant.examples),
        }
        for fault in filter(found.get, found):
            yield PromptFinding(variant=name, case=case.key, fault=fault, message=_MESSAGES[fault])


_MESSAGES: Mapping[PromptFault, str] = {
    PromptFault.SOLUTION: "the prompt shows code of the reference solution",
    PromptFault.TESTS: "the prompt shows code of the tests",
    PromptFault.QUESTION: "the case's own prompt is left out; write {prompt} in the template",
    PromptFault.CONTEXT: "a context file is left out; write {context} in the template",
    PromptFault.EXAMPLE: "an example is not shown, because its case is the one that is asked",
}


def plan_findings(plan: Plan, preset_of: Callable[[str], Preset | None]) -> Iterator[PromptFinding]:
    """Yield what is wrong with the prompts of a run; `preset_of` gives the server of a provider."""
    cases = [case for eval_set in plan.eval_sets for case in eval_set.cases]
    for case in cases if plan.variants else ():
        yield from prompt_findings(case, plan.variants)
    for model in plan.models:
        preset = preset_of(model.provider)
        context = None if preset is None else known_context(model.model, preset)
        if preset is None or context is None:
            continue
        for case in cases:
            sample = Sample(model=model, eval_set=case.eval_set, case=case.id, index=0)
            yield from too_long(draw_of(plan, sample, case), preset, context)


def too_long(draw: Draw, preset: Preset, context: int) -> Iterator[PromptFinding]:
    """Yield a finding where prompt and token limit exceed a context; the estimate errs upwards."""
    limit = resolve(preset, draw.sampling).max_tokens or 0
    if estimated_tokens(draw.prompt) + limit > context:
        model = draw.sample.model
        yield PromptFinding(
            variant=model.variant_shown,
            case=draw.case.key,
            fault=PromptFault.LENGTH,
            message=(
                f"prompt and answer may exceed the {context:,} tokens of {model.plain}, as up to"
                f" {limit:,} are for the answer; lower --max-tokens, or shorten the prompt"
            ),
        )


def known_context(model: str, preset: Preset) -> int | None:
    """Return how many tokens a model holds: as the user set it, or as the price list says.

    None where neither does. Ollama is asked for as much as a request needs.
    """
    own = preset.context_tokens or dig(preset.extra_body, "options", "num_ctx")
    if isinstance(own, int) or preset.local:
        return own if isinstance(own, int) else None
    # Imported here because reading the list takes longer than starting the program.
    import genai_prices  # noqa: PLC0415

    none = genai_prices.Usage(input_tokens=0, output_tokens=0)
    try:
        listed = genai_prices.calc_price(none, model, provider_api_url=preset.base_url)
    except (LookupError, ValueError):
        return None
    return listed.model.context_window


def _left_out(text: str, prompt: Prompt) -> bool:
    words = " ".join(text.split()).lower()
    told = " ".join(f"{prompt.system} {prompt.user}".split()).lower()
    return words not in told


class _PromptText:
    """A text in words and signs, in which pieces are found anywhere."""

    def __init__(self, *parts: str) -> None:
        texts = {*parts, *(_LINE_COMMENT.sub("", part) for part in parts)}
        words = [_WORD_OR_SIGN.findall(text) for text in texts]
        self._lines = "\n".join(f" {' '.join(part)} " for part in words)
        self._runs = {run for part in words for run in _runs(part)}

    def shows(self, piece: Piece) -> bool:
        """Tell whether a piece of code occurs in the text; those of `RUN` words are quick."""
        return piece in self._runs if len(piece) == RUN else f" {' '.join(piece)} " in self._lines

    def shows_of(self, pieces: Iterable[Piece], own: "_PromptText") -> bool:
        """Tell whether a piece occurs in the text but not in the case's own."""
        return any(self.shows(piece) and not own.shows(piece) for piece in pieces)


def _of_solution(case: Case) -> Iterator[Piece]:
    """Yield the pieces of a solution that no prompt may show."""
    root = parse((case.reference_solution or "").encode(errors="replace")).root_node
    for item in _nodes(root, "function_item", "macro_definition"):
        words = _words(item)
        if item.parent == root and SHORT_FUNCTION <= len(words) < RUN:
            yield tuple(words)
        yield from _of_body(item)


def _of_tests(case: Case) -> Iterator[Piece]:
    """Yield the assertions and long pieces of tests that name what the solution defines."""
    root = parse((case.expectations.test_file or "").encode(errors="replace")).root_node
    defined = {
        *_DEFINED.findall(case.reference_solution or ""),
        *case.expectations.expected_functions,
        *case.expectations.expected_types,
    }
    for call in _nodes(root, "macro_invocation"):
        words = _words(call)
        if _ASSERTION.fullmatch(words[0]) and len(words) >= SHORT_ASSERTION:
            yield from ([tuple(words)] if not defined.isdisjoint(words) else [])
    for function in _nodes(root, "function_item"):
        yield from (piece for piece in _of_body(function) if not defined.isdisjoint(piece))


def _of_body(item: Node) -> Iterator[Piece]:
    """Yield all runs of the body of a function or a macro, or the whole of a short one."""
    words = _words(item.child_by_field_name("body") or item)
    inner = words[1:-1] if words[:1] == ["{"] else words
    if len(inner) >= RUN:
        yield from _runs(inner)
    elif len(inner) >= SHORT_BODY:
        yield tuple(inner)


def _runs(words: Sequence[str]) -> Iterator[Piece]:
    return (tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


def _words(root: Node) -> list[str]:
    """Return the words and signs of code, without its comments."""
    words: list[str] = []
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in _COMMENTS:
            continue
        todo.extend(reversed(node.children))
        if not node.child_count:
            words += _WORD_OR_SIGN.findall(node_text(node))
    return words


def _nodes(root: Node, *kinds: str) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in kinds:
            yield node
        todo.extend(reversed(node.named_children))

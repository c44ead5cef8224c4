"""Prompts that tell the signatures of a solution and nothing else."""

from collections.abc import Iterator

from honest.source import Function, Source, Unit, function_at, function_of, is_inherent, members

_WORDS = {"struct_item": "struct", "enum_item": "enum", "trait_item": "trait"}


def in_a_sentence(solution: Source) -> str:
    """Return a prompt with the public signatures of a solution, each in backticks."""
    said = [f"`{text}`" for text in _signatures(solution)]
    return f"Write {', '.join(said[:-1])}{' and ' if said[1:] else ''}{''.join(said[-1:])}.\n"


def in_a_block(solution: Source) -> str:
    """Return a prompt with the public types of a solution and its functions without bodies."""
    wanted = list(_wanted(solution))
    parts = [_hollow(unit) for unit in solution.items if unit in wanted]
    uses = [one.text for one in solution.units if one.kind == "use_declaration"]
    code = "\n\n".join((*uses, *(part for part in parts if part)))
    return f"Complete this:\n\n```rust\n{code}\n```\n"


def _wanted(solution: Source) -> Iterator[Unit]:
    """Yield the public items, or all of them where nothing is public, and the impls of types."""
    named = [one for one in solution.items if one.kind != "impl_item"]
    shown = [one for one in named if one.public] or named
    names = {one.name for one in shown}
    for unit in solution.items:
        if unit in shown or (is_inherent(unit) and unit.name in names):
            yield unit


def _signatures(solution: Source) -> Iterator[str]:
    for unit in _wanted(solution):
        if unit.kind == "function_item":
            yield _said(function_of(unit), public=unit.public)
        elif unit.kind in _WORDS:
            generics = unit.node.child_by_field_name("type_parameters")
            text = (generics.text or b"").decode() if generics else ""
            yield f"{'pub ' * unit.public}{_WORDS[unit.kind]} {unit.name}{text}"
        elif is_inherent(unit):
            for one in _methods(unit):
                yield _said(one, public=False)


def _said(one: Function, *, public: bool) -> str:
    plain = [f"{p.name or '_'}: {p.type}" for p in one.parameters]
    return " ".join(f"{'pub ' * public}{one.signature(parameters=plain)}".split())


def _methods(unit: Unit) -> list[Function]:
    nodes = [node for node, _ in members(unit) if node.type == "function_item"]
    public = [one for one in map(function_at, nodes) if one.visibility.strip() == "pub"]
    return public or [function_at(node) for node in nodes]


def _hollow(unit: Unit) -> str:
    """Return an item without the bodies of its functions, empty for what is no one's to see."""
    if unit.kind == "function_item":
        return function_of(unit).text(body="{\n    todo!()\n}")
    if is_inherent(unit):
        shown = [one.text(body="{\n        todo!()\n    }") for one in _methods(unit)]
        header = unit.text[: unit.text.index("{")].strip()
        return f"{header} {{\n    " + "\n\n    ".join(shown) + "\n}"
    return unit.text

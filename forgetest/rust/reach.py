"""Whether another crate can reach all that tests use of a sample, as far as parsing tells.

When in doubt it can not: inside the sample's own crate everything is in reach.
"""

from forgetest.rust.mentions import Mentions
from forgetest.rust.root import Root, Struct
from forgetest.rust.wrapper import Api


def is_reachable(
    code: str, sample: Root, api: Api, mentions: Mentions, declared: Root | None
) -> bool:
    """Tell whether the tests can stand in a crate beside the one that `code` makes.

    What is private in the declared code too is not what the tests mean by its name.
    """
    private = frozenset(sample.private_methods()) & mentions.methods
    return not (
        mentions.extends
        or "non_exhaustive" in code  # means something to other crates alone
        or api.needs - sample.public
        or private - _hidden_methods(declared)
        or any(_is_touched(struct, mentions) for struct in sample.structs)
        or (not api.wrapped and _hides_names(sample))
    )


def _hidden_methods(declared: Root | None) -> frozenset[str]:
    """Return the private methods of a declared API whose methods are not all private."""
    methods = [] if declared is None else list(declared.methods())
    shown = {method.owner for method in methods if method.public}
    return frozenset(one.name for one in methods if not one.public and one.owner in shown)


def _is_touched(struct: Struct, mentions: Mentions) -> bool:
    """Tell whether the tests use a private field of a struct, or make one by its fields."""
    if not struct.private_fields:
        return False
    positions = {name for name in struct.private_fields if name.isdecimal()}
    named = struct.private_fields - positions
    built = struct.name in (mentions.called if positions else mentions.braced)
    by_position = struct.name in mentions.names and bool(positions & mentions.fields)
    return built or by_position or bool(named & mentions.fields)


def _hides_names(sample: Root) -> bool:
    """Tell whether a glob import may miss names that the sample's own modules would see."""
    return not sample.complete or any(one.name == "*" and not one.public for one in sample.imports)

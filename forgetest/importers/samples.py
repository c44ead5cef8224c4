"""samples.jsonl, as human-eval and its relatives write it: completions without their problems."""

from pathlib import Path

from forgetest.importers.naming import model_name
from forgetest.importers.problems import refuse_protocol
from forgetest.importers.reading import Item, ItemError, demand, read_source, tried
from forgetest.importers.types import Imported, LeftOut, Options, Recorded
from forgetest.replay import case_named


def read(path: Path, options: Options) -> Imported:
    """Return the completions of a file; many of one task are its samples in their order.

    The tasks keep their names, by which replay finds the cases of the set they are graded with.
    """
    refuse_protocol(options, "samples")
    reading = read_source(path)
    model = model_name(path, options)
    recorded: list[Recorded] = []
    left_out = list(reading.left_out)
    for _, one in tried(reading.items, lambda item: _recorded(item, model)):
        if isinstance(one, LeftOut):
            left_out.append(one)
        else:
            recorded.append(one)
    demand(recorded, path, left_out)
    return Imported(None, tuple(recorded), tuple(left_out))


def _recorded(item: Item, model: str) -> Recorded:
    item.demand_rust()
    key = "completion" if item.value.get("completion") is not None else "solution"
    if item.value.get(key) is None:
        raise ItemError('"completion" is missing, and so is "solution"')
    named, case, eval_set = _case(item)
    return Recorded(
        case_id=case,
        completion=item.string(key),
        model=item.maybe("model") or model,
        passed=item.flag("passed"),
        verdict=item.maybe("result") or None,
        key=named,
        eval_set=eval_set,
    )


def _case(item: Item) -> tuple[str, str, str | None]:
    """Return the key that names the case, the name and the eval set, all as replay reads them."""
    try:
        return case_named(item.value)
    except ValueError as error:
        raise ItemError(str(error)) from None

"""Where the details of samples stand: in the page while they are few, else in files beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from forgetest.render.html.caserow import CaseRow
from forgetest.render.html.data import details_json, script_json

EMBEDDED = 4_000_000  # bytes of details that a page holds itself
CHUNK = 6_000_000  # bytes of a file beside it; one case and model stay together


@dataclass(frozen=True, slots=True)
class Shelf:
    """Details by `case.model`: in the page, or the name of the file that has them."""

    embedded: str  # JSON
    places: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # name -> JavaScript


def shelved(rows: Sequence[CaseRow], *, stem: str, budget: int = EMBEDDED) -> Shelf:
    """Return all details, in files named after `stem` when they are more than `budget` bytes."""
    pieces = dict(_pieces(rows))
    if sum(map(len, pieces.values())) <= budget:
        return Shelf(embedded=_joined(pieces))
    chunks = list(_chunks(pieces))
    names = [f"{stem}-samples-{place:02}.js" for place in range(1, len(chunks) + 1)]
    return Shelf(
        embedded="{}",
        places={key: name for name, chunk in zip(names, chunks, strict=True) for key in chunk},
        files={
            name: f'forgetestSamples("{name}",{_joined(chunk)});\n'
            for name, chunk in zip(names, chunks, strict=True)
        },
    )


def _pieces(rows: Sequence[CaseRow]) -> Iterator[tuple[str, str]]:
    for case, row in enumerate(rows):
        for model, result in enumerate(row.results):
            if result is not None:
                yield f"{case}.{model}", script_json(details_json(result))


def _joined(pieces: dict[str, str]) -> str:
    return "{" + ",".join(f'"{key}":{piece}' for key, piece in pieces.items()) + "}"


def _chunks(pieces: dict[str, str]) -> Iterator[dict[str, str]]:
    chunk: dict[str, str] = {}
    size = 0
    for key, piece in pieces.items():
        if chunk and size + len(piece) > CHUNK:
            yield chunk
            chunk, size = {}, 0
        chunk[key] = piece
        size += len(piece)
    yield chunk

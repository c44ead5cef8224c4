"""Rankings of sides made of letters."""

from typing import Any

from compared import side

from forgetest.compare.side import Side
from forgetest.rank.rank import rank_models
from forgetest.rank.types import Ranking, RankOptions

TEN = [f"s/c{i}" for i in range(10)]


def all_of(word: str) -> dict[str, str]:
    """Return ten cases with the same samples."""
    return dict.fromkeys(TEN, word)


def ranked(*sides: Any, **options: Any) -> Ranking:
    """Return the ranking of sides, or of letters."""
    made = [one if isinstance(one, Side) else side(one) for one in sides]
    return rank_models(made, RankOptions.model_validate(options))

"""How a share is shown to a person."""

from forgetest.metrics.domain import Number, share
from forgetest.metrics.reading import takes_arrays


@takes_arrays
def percent(value: Number) -> str:
    """Return a share in 0 to 1 as a percentage with one decimal, such as "41.7 %".

    Rounded half to even from the exact rational. "0.0 %" and "100.0 %" are said only of exactly
    none and all; what merely rounds to them is "<0.1 %" and ">99.9 %". Raises ValueError outside
    0 to 1.
    """
    fraction = share(value, "a share")
    tenths = round(fraction * 1000)
    if tenths == 0 < fraction:
        return "<0.1 %"
    if tenths == 1000 and fraction < 1:  # noqa: PLR2004 - tenths of a percent in a whole
        return ">99.9 %"
    return f"{tenths // 10}.{tenths % 10} %"

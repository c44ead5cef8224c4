"""What one model's samples of the common cases come to."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import sqrt

from forgetest.compare.side import Purse, SideCase, summed
from forgetest.compare.types import Estimate
from forgetest.metrics import Counts, Reason, bayes_exact, exact, modified_wilson, pass_at_k_exact
from forgetest.rank.types import Shrunk


def exact_rate(cases: Sequence[SideCase]) -> Fraction:
    """Return the mean over cases of c / n."""
    return sum((Fraction(case.c, case.n) for case in cases), Fraction()) / len(cases)


def estimate(
    cases: Sequence[SideCase], value: Callable[[SideCase], Fraction], *, alpha: float
) -> Estimate:
    """Return the mean of a case value with its modified Wilson interval at 1 - alpha."""
    samples = sum(case.n for case in cases)
    found = modified_wilson([value(case) for case in cases], samples, level=1 - exact(alpha))
    if found is None:
        return Estimate(value=None, reason=str(Reason.UNSCORED))
    return Estimate(value=float(found.mean), interval=(found.lower, found.upper))


def estimate_at_k(cases: Sequence[SideCase], k: int, *, alpha: float) -> Estimate:
    """Return pass@k; without a value unless every case has k samples."""
    if any(case.n < k for case in cases):
        return Estimate(value=None, reason=str(Reason.INSUFFICIENT_SAMPLES))
    return estimate(cases, lambda case: pass_at_k_exact(*case.counts, k) or exact(0), alpha=alpha)


def shrunk(counts: Sequence[Counts]) -> Shrunk:
    """Return Bayes@N of passes; cases may differ in n, as their posteriors are independent.

    With the same n everywhere it is `metrics.bayes` of the whole matrix with weights 0 and 1.
    """
    moments = [bayes_exact([[1] * c + [0] * (n - c)], (0, 1)) for n, c in counts]
    known = [one for one in moments if one is not None]
    size = len(known)
    variance = sum((spread for _, spread in known), Fraction()) / size**2
    middle = sum((mean for mean, _ in known), Fraction()) / size
    return Shrunk(mean=float(middle), sigma=sqrt(variance))


def cost(cases: Sequence[SideCase]) -> tuple[Decimal | None, Decimal | None]:
    """Return US dollars of all samples, and for each that passed; None where a price is unknown."""
    purse = summed([case.purse for case in cases])
    if purse.unpriced or not _is_whole(purse, cases):
        return None, None
    passed = sum(case.c for case in cases)
    return purse.usd, purse.usd / passed if passed else None


def _is_whole(purse: Purse, cases: Sequence[SideCase]) -> bool:
    """Tell whether each scored sample's completion is there to be priced."""
    return purse.completions >= sum(case.n for case in cases)

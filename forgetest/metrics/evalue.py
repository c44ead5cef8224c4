"""Evidence that stays valid however often one looks."""

from fractions import Fraction
from math import factorial

from forgetest.metrics.domain import is_count, shown
from forgetest.metrics.reading import takes_arrays


@takes_arrays
def sign_e_value(b: int, c: int) -> Fraction:
    """Return the e-value against "worse and better are equally likely", from discordant pairs.

    b and c count the pairs of each direction. E = 2^(b+c) B(b+1/2, c+1/2) / B(1/2, 1/2), the
    mixture over Beta(1/2, 1/2); p <= 1/E holds at every time of looking (Ville's inequality).
    Raises ValueError unless b and c are ints from 0 up and no bools.
    """
    if not (is_count(b) and is_count(c)):
        raise ValueError(f"pairs must be counted from 0 up, not {shown(b)} and {shown(c)}")
    ways = factorial(2 * b) * factorial(2 * c)
    return Fraction(ways, 2 ** (b + c) * factorial(b) * factorial(c) * factorial(b + c))

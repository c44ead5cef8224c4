"""What the property tests of the metrics share: cases to try, and patience on a busy machine."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def cases(draw: st.DrawFn, *, most: int = 60) -> tuple[int, int, int]:
    """Return n, c and k with 0 <= c <= n and 1 <= k <= n."""
    n = draw(st.integers(1, most))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


@st.composite
def runs(
    draw: st.DrawFn, *, most_cases: int, most_samples: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return two aligned runs of (n, c), with n of its own for each case and run."""
    size = st.integers(1, most_samples)
    pair = size.flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
    both = draw(st.lists(st.tuples(pair, pair), max_size=most_cases))
    return [before for before, _ in both], [after for _, after in both]

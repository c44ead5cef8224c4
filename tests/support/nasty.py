"""Text that tries to break out of whatever shows it."""

import re

from comparisons import HOSTILE
from hypothesis import strategies as st

CALLS = re.compile(
    r"@\w|#\w|\bgh-\d|://|www\.|(?:mailto|xmpp):\w|:[\w+-]+:|##\[|\$", re.IGNORECASE
)  # what GitHub makes a link, a mention or a picture of, after rendering


PIECES = st.sampled_from([*"`|\\<>&[]()!*_~#@:$^-=+.1 \n\r\t", "``", "```", "www.", "http://a.bc"])


NASTY = st.one_of(
    st.text(max_size=60),
    st.lists(PIECES, max_size=12).map("".join),
    st.lists(st.sampled_from(HOSTILE.split(" ")), max_size=6).map(" ".join),
)

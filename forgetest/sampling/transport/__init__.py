"""The only door to the network: model servers are asked here, with retries and within limits.

A draw comes in, a `Completion` or a `Fault` goes out. Read first `source` (one draw, its retries,
and what an answer means), then `policy` (what is retried, and when: pure). `endpoint` is what all
models of a provider share, `admission` decides when a request may be sent, and `connections` holds
the sockets.
"""

from forgetest.sampling.transport.endpoint import Endpoint
from forgetest.sampling.transport.policy import Pace, RetryPolicy, Wait
from forgetest.sampling.transport.source import HttpSource, fetch_models

__all__ = ["Endpoint", "HttpSource", "Pace", "RetryPolicy", "Wait", "fetch_models"]

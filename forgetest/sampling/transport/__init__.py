"""The only door to the network: asking model servers, with patience and within limits."""

from forgetest.sampling.transport.endpoint import Endpoint
from forgetest.sampling.transport.policy import Pace, RetryPolicy
from forgetest.sampling.transport.source import HttpSource, fetch_models

__all__ = ["Endpoint", "HttpSource", "Pace", "RetryPolicy", "fetch_models"]

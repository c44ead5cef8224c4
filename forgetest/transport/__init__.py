"""The only door to the network: asking model servers, with patience and within limits."""

from forgetest.transport.endpoint import Endpoint
from forgetest.transport.listing import fetch_models
from forgetest.transport.pace import Pace
from forgetest.transport.policy import RetryPolicy
from forgetest.transport.source import HttpSource

__all__ = ["Endpoint", "HttpSource", "Pace", "RetryPolicy", "fetch_models"]

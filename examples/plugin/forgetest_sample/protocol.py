"""A wire protocol: OpenAI's chat completions behind a gateway that wants the key elsewhere.

In forgetest.toml:

    [providers.gateway]
    protocol = "keyed-openai"
    base_url = "https://gateway.example/v1"
    api_key_env = "GATEWAY_KEY"
"""

from forgetest.plugins import (
    ApiError,
    Call,
    Completion,
    HttpRequest,
    ModelPage,
    Plugin,
    WireProtocol,
)
from forgetest.sampling.providers import openai


class KeyedOpenAI:
    """OpenAI's protocol with the key in a header of its own."""

    BASE_URL_IS_ROOT = False

    def auth(self, key: str) -> dict[str, str]:
        """Return the header with the key."""
        return {"x-gateway-key": key}

    def build(self, call: Call) -> HttpRequest:
        """Return the request that asks for one completion."""
        return openai.build(call)

    def read(self, body: object) -> Completion | ApiError:
        """Return what a 200 holds."""
        return openai.read(body)

    def read_error(self, status: int, body: object) -> ApiError:
        """Return what any other status means."""
        return openai.read_error(status, body)

    def list_request(self, after: str | None) -> HttpRequest:
        """Return the request for a page of the model list."""
        return openai.list_request(after)

    def read_models(self, body: object) -> ModelPage:
        """Return the models of one page."""
        return openai.read_models(body)


keyed_openai: Plugin[WireProtocol] = Plugin(api=1, provides=KeyedOpenAI())

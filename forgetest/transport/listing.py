"""What a model server says it serves."""

from forgetest.providers.contract import ModelInfo, ModelPage
from forgetest.transport.endpoint import Endpoint
from forgetest.transport.policy import Trouble
from forgetest.transport.reading import interpreted
from forgetest.transport.retry import persist

MOST_PAGES = 100  # a server that never says "no more" is not followed for ever


async def fetch_models(endpoint: Endpoint) -> list[ModelInfo]:
    """Return every model the server lists, in its order; raise `Fault` if it can not be asked."""
    models: list[ModelInfo] = []
    after = None
    for _ in range(MOST_PAGES):
        page = await _page(endpoint, after)
        models.extend(page.models)
        if page.after in {None, after}:
            break
        after = page.after
    return models


async def _page(endpoint: Endpoint, after: str | None) -> ModelPage:
    async def attempt() -> ModelPage | Trouble:
        await endpoint.cooled()
        answer = await endpoint.exchange(endpoint.protocol.list_request(after))
        return interpreted(endpoint, answer, endpoint.protocol.read_models, has_answered=False)

    return await persist(endpoint, attempt)

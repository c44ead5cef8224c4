"""The source of a plugin: stopped, counted and told apart from our own failures like any other."""

from collections.abc import Mapping
from typing import cast

from forgetest.errors import Fault, FaultKind, ForgetestError
from forgetest.sampling.completion import Completion, CompletionSource, Draw, SourceFactory
from forgetest.sampling.halt import Halt
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.providers.contract import WireProtocol
from forgetest.sampling.providers.presets import checked_protocol
from forgetest.system.plugins import PluginGroup, failed, find_plugin


def plugin_factory(provider: str) -> SourceFactory | None:
    """Return what opens the models of a plugin's provider, None where there is no such plugin.

    Raises BrokenPluginError for one that cannot be used.
    """
    return find_plugin(PluginGroup.PROVIDERS, provider, _checked_factory)


def checked_provider(provided: object) -> SourceFactory | WireProtocol:
    """Return what a plugin adds to the providers; TypeError says why it is neither."""
    return _checked_factory(provided) if callable(provided) else checked_protocol(provided)


def _checked_factory(provided: object) -> SourceFactory:
    if not callable(provided):
        raise TypeError(
            "it opens no models; where it is a wire protocol, name it as the protocol of a provider"
        )
    return cast("SourceFactory", provided)


def open_plugin(
    factory: SourceFactory, model: ModelSpec, environ: Mapping[str, str]
) -> CompletionSource:
    """Return the source of a plugin's model; ForgetestError when the plugin refuses or fails."""
    try:
        source = factory(model.model, environ)
    except Exception as error:
        raise failed(str(model), error) from error
    if not (hasattr(source, "complete") and isinstance(getattr(source, "concurrency", 0), int)):
        kind = type(source).__name__
        raise failed(str(model), TypeError(f"it opened a {kind}, not a CompletionSource"))
    return source


class PluginSource:
    """A plugin's source of completions, under the run's limits."""

    def __init__(self, model: ModelSpec, source: CompletionSource, halt: Halt) -> None:
        self._model, self._source, self._halt = model, source, halt
        self._ended: Fault | None = None

    @property
    def concurrency(self) -> int:
        """How many draws may be under way at once."""
        return max(1, self._source.concurrency)

    async def complete(self, draw: Draw) -> Completion:
        """Return the completion; raise `Fault` when there is none, for any error of the plugin.

        After a final fault the plugin is not asked any more.
        """
        if self._ended is not None:
            raise self._ended
        self._halt.demand_ask(free=False)
        try:
            completion = _checked(await self._source.complete(draw))
        except (Fault, ForgetestError) as error:
            if isinstance(error, Fault) and error.final:
                self._ended = error
            raise
        except Exception as error:
            message = f"{self._model}: its plugin failed: {type(error).__name__}: {error}"
            raise Fault(FaultKind.PROVIDER, message) from error
        self._halt.spend(completion.cost)
        return completion


def _checked(completion: object) -> Completion:
    if not isinstance(completion, Completion):
        raise TypeError(f"it returned a {type(completion).__name__}, not a Completion")
    return completion

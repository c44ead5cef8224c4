"""Opens what gives completions: model servers, the embedded model, recordings, references.

What can be checked without asking anybody is checked when the object is made: unknown providers,
missing keys, missing recordings and references stop a run before its folder exists.
"""

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from forgetest.errors import ConfigError
from forgetest.evalset.types import Case
from forgetest.runner.config import Config
from forgetest.rust.stub import stub
from forgetest.sampling.completion import CompletionSource
from forgetest.sampling.local import MODEL, installed, start
from forgetest.sampling.plan import ModelSpec, Plan
from forgetest.sampling.providers.presets import LOCAL_MAX_TOKENS, Preset
from forgetest.sampling.reference import ReferenceSource
from forgetest.sampling.replay import open_recording
from forgetest.sampling.transport import Endpoint, HttpSource

LOCAL_SLOTS = 8  # a batch of eight costs little more than one of four, on one core
NAMED = 5  # cases named in a note
EMBEDDED = "local"


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What the command line says of asking."""

    environ: Mapping[str, str]
    concurrency: int | None
    strict_params: bool
    cores: int
    demand_keys: bool = True  # at once; else when a model is asked


class OpenSources:
    """The sources of a plan, opened when a run begins and closed when it ends."""

    def __init__(self, plan: Plan, config: Config, options: SourceOptions) -> None:
        """Check everything that needs no server; raise ForgetestError when a model cannot be."""
        self._options = options
        self._cases = {case.key: case for eval_set in plan.eval_sets for case in eval_set.cases}
        self.plan = plan
        self.notes: list[str] = []  # what deserves a look, and stops nothing
        self._offline: dict[str, CompletionSource] = {}
        self._servers: dict[str, Preset] = {}
        for model in plan.models:
            self._add(model, config, options)

    @property
    def endpoints(self) -> dict[str, str]:
        """Where each model server is: base URLs by provider name."""
        return {name: preset.base_url for name, preset in self._servers.items()}

    def preset(self, provider: str) -> Preset | None:
        """Return the provider's preset, None for sources that are no servers."""
        return self._servers.get(provider)

    def _add(self, model: ModelSpec, config: Config, options: SourceOptions) -> None:
        cases = list(self._cases.values())
        match model.provider:
            case "reference":
                source = ReferenceSource(model.model, stub=stub)
                source.check(cases)
                self._offline[str(model)] = source
            case "replay":
                self._offline[str(model)] = self._recording(model, cases)
            case "local":
                _demand_embedded(model)
            case provider if provider not in self._servers:
                preset = self._for_plan(config.preset(provider))
                if options.demand_keys:
                    self._endpoint(preset)  # proves that the key is there, before anything is paid
                self._servers[provider] = preset
            case _:
                pass

    def _for_plan(self, preset: Preset) -> Preset:
        """Leave the temperature to the server where one sample of each case is drawn."""
        single = max((self.plan.samples_per_case, *self.plan.recorded.values())) == 1
        return preset.model_copy(update={"temperature": None}) if single else preset

    def _recording(self, model: ModelSpec, cases: Sequence[Case]) -> CompletionSource:
        recording = open_recording(model.model)
        unknown = recording.unknown(cases)
        if unknown:
            more = ", …" if len(unknown) > NAMED else ""
            self.notes.append(
                f"{model}: {len(unknown)} recorded cases are not among the chosen ones and are"
                f" left out: {', '.join(unknown[:NAMED])}{more}"
            )
        for key, count in recording.counts(cases).items():
            planned = self.plan.count(model, key)
            if count < planned:
                raise ConfigError(
                    f"{model}: {planned} samples of case {key} are planned and {count} are"
                    " recorded; lower --samples, or choose cases with --case"
                )
        return recording

    def _endpoint(self, preset: Preset) -> Endpoint:
        key = self._options.environ.get(preset.key_env) if preset.key_env else None
        return Endpoint(
            preset,
            key,
            concurrency=self._options.concurrency,
            strict_params=self._options.strict_params,
        )

    @asynccontextmanager
    async def opened(
        self, models: Collection[str], say: Callable[[str], None]
    ) -> AsyncIterator[dict[str, CompletionSource]]:
        """Yield the sources of some models by name; servers of other models are not needed.

        `say` is told in lines what happens to a whole provider.
        """
        wanted = [model for model in self.plan.models if str(model) in models]
        async with AsyncExitStack() as stack:
            endpoints: dict[str, Endpoint] = {}
            for provider in dict.fromkeys(model.provider for model in wanted):
                preset = self._servers.get(provider)
                if provider == EMBEDDED:
                    preset = await self._start_embedded(stack)
                if preset is not None:
                    endpoint = await stack.enter_async_context(self._endpoint(preset))
                    endpoint.listen(say)
                    endpoints[provider] = endpoint
            yield {
                str(model): HttpSource(model, endpoints[model.provider])
                if model.provider in endpoints
                else self._offline[str(model)]
                for model in wanted
            }

    async def _start_embedded(self, stack: AsyncExitStack) -> Preset:
        """Start the embedded model; one core is left to the graders, whose work it would stall."""
        server = await stack.enter_async_context(
            start(
                slots=LOCAL_SLOTS,
                threads=max(1, self._options.cores - 1),
                environ=self._options.environ,
            )
        )
        return self._for_plan(
            Preset(
                name=EMBEDDED,
                base_url=server.base_url,
                concurrency=server.slots,
                temperature=0.8,
                max_tokens=LOCAL_MAX_TOKENS,
                local=True,
            )
        )


def _demand_embedded(model: ModelSpec) -> None:
    """Raise ConfigError when the embedded model is another, or not installed."""
    if model.model != MODEL:
        raise ConfigError(f"{model}: the embedded model is {EMBEDDED}/{MODEL}")
    if not installed():
        raise ConfigError(f"{model} is not installed; run: forgetest local install")

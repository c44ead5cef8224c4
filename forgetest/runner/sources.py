"""The sources of completions: model servers, the embedded model, recordings, references.

`OpenSources` checks at once what needs no request: unknown providers, missing keys, missing
recordings and references stop a run before its folder exists. `RecordedRun` stands in for it when a
run is graded again and no model is asked.
"""

from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from forgetest.errors import ConfigError, Fault, FaultKind
from forgetest.evalset.types import Case
from forgetest.runner.commands import demand_usable, recorded_command
from forgetest.runner.config import Config
from forgetest.rust.stub import stub
from forgetest.sampling.added import PluginSource, open_plugin, plugin_factory
from forgetest.sampling.completion import Completion, CompletionSource, Draw, SourceFactory
from forgetest.sampling.exec.command import CommandHost, CommandSpec
from forgetest.sampling.halt import Halt
from forgetest.sampling.local import MODEL, installed, start
from forgetest.sampling.local_server import CONTEXT_PER_SLOT
from forgetest.sampling.plan import COMMANDS, ModelSpec, Plan, Sample
from forgetest.sampling.price import CostEstimate, commands_asked, estimate_cost, nothing_asked
from forgetest.sampling.prompt import draw_of
from forgetest.sampling.providers.presets import LOCAL_MAX_TOKENS, PRESETS, Preset
from forgetest.sampling.providers.sampling import resolve
from forgetest.sampling.reference import ReferenceSource
from forgetest.sampling.replay import open_recording
from forgetest.system.machine import open_files
from forgetest.value import count

if TYPE_CHECKING:  # they load an HTTP client, and most commands ask no server
    from forgetest.sampling.exec.source import CommandProvider, CommandSource
    from forgetest.sampling.transport import Endpoint, HttpSource, Wait

FILES_KEPT = 64  # open at once, besides those of requests, commands and graders
FILES_OF_GRADER = 8  # pipes and results of the compilers of one sample
FILES_OF_COMMAND = 6
LOCAL_SLOTS = 8  # on one core, a batch of eight costs little more than one of four
NAMED = 5  # cases named in a note
EMBEDDED = "local"


class Sources(Protocol):
    """The sources of a plan, which a session opens."""

    def opened(
        self,
        models: Collection[str],
        say: Callable[[str], None],
        waits: Callable[["Wait"], None],
        halt: Halt,
        host: CommandHost,
    ) -> AbstractAsyncContextManager[Mapping[str, CompletionSource]]:
        """Return the sources of some models, by model name; `say` hears of whole providers.

        `waits` hears for how long a provider is not asked. `halt` says when no more requests are
        sent, and hears what they cost. `host` is where commands run.
        """
        ...


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How requests are sent."""

    environ: Mapping[str, str]
    concurrency: int | None
    strict_params: bool
    cores: int
    graders: int  # samples graded in parallel: they take open files, too
    demand_keys: bool = True  # when the sources are made, not only when a model is asked
    first_samples: int | None = None  # per case, of a run that was extended: when it began


class OpenSources:
    """The sources of a plan, opened when a session begins and closed when it ends."""

    def __init__(self, plan: Plan, config: Config, options: SourceOptions) -> None:
        """Check everything that needs no server; ForgetestError for an unusable model."""
        self._options = options
        self._cases = {case.key: case for eval_set in plan.eval_sets for case in eval_set.cases}
        self.plan = plan
        self.notes: list[str] = []  # for the user; they stop nothing
        self._offline: dict[str, CompletionSource] = {}
        self._servers: dict[str, Preset] = {}
        self._commands: dict[str, CommandSpec] = {}
        self._added: dict[str, CompletionSource] = {}
        for model in plan.models:
            self._add(model, config, options)
        self._fit_open_files()
        self.notes.extend(self._greedy())

    @property
    def endpoints(self) -> dict[str, str]:
        """The base URL of each server by provider name, and each command line by `exec/NAME`."""
        return {
            **{name: preset.base_url for name, preset in self._servers.items()},
            **{
                f"{COMMANDS}/{name}": recorded_command(spec, self._options.environ)
                for name, spec in self._commands.items()
            },
        }

    @property
    def missing_keys(self) -> list[str]:
        """The environment variables that a run needs and that are not set."""
        names = (preset.key_env for preset in self._servers.values())
        return [name for name in names if name and not self._options.environ.get(name, "").strip()]

    def preset_of(self, provider: str) -> Preset | None:
        """Return the server that a provider's models are asked on; None where none is asked.

        The embedded model has no port before it is started.
        """
        if provider == EMBEDDED:
            return self._for_plan(_embedded("http://127.0.0.1/v1", LOCAL_SLOTS))
        return self._servers.get(provider)

    def estimates(self) -> dict[ModelSpec, CostEstimate]:
        """Return each model's requests and what they cost; unknown prices stay unknown."""
        return {model: self._estimate(model) for model in self.plan.models}

    def _estimate(self, model: ModelSpec) -> CostEstimate:
        draws = [
            draw_of(
                self.plan,
                Sample(model=model, eval_set=case.eval_set, case=case.id, index=index),
                case,
            )
            for index in range(self.plan.samples_per_case)
            for case in self._cases.values()
        ]
        preset = self._servers.get(model.provider)
        if preset is not None:
            return estimate_cost(draws, preset)
        if model.provider == COMMANDS:
            return commands_asked(draws, local=self._commands[model.model].local)
        if str(model) in self._added:
            return commands_asked(draws, local=False)
        return nothing_asked(len(draws))

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
            case "exec":
                spec = config.command(model.model)
                if options.demand_keys:
                    demand_usable(spec, options.environ)
                self._commands[spec.name] = spec
            case provider if factory := _factory(provider, config):
                self._added[str(model)] = open_plugin(factory, model, options.environ)
            case provider:
                self._add_server(provider, config, options)

    def _add_server(self, provider: str, config: Config, options: SourceOptions) -> None:
        if provider in self._servers:
            return
        preset = self._for_plan(config.preset(provider))
        if options.demand_keys:
            self._endpoint(preset)  # fails without a key, before anything is paid for
        self._servers[provider] = preset

    def _fit_open_files(self) -> None:
        """Send no more requests at once than this process may open files; a note says where."""
        commands = sum(
            self._options.concurrency or spec.concurrency for spec in self._commands.values()
        )
        others = FILES_KEPT + FILES_OF_GRADER * self._options.graders + FILES_OF_COMMAND * commands
        wanted = {name: preset.most_at_once for name, preset in self._servers.items()}
        files = open_files()
        for name, most in shares(wanted, files - others).items():
            if most < wanted[name]:
                self._servers[name] = bounded(self._servers[name], most)
                self.notes.append(
                    f"{name}: at most {count(most, 'request')} in flight, not {wanted[name]:,}: a"
                    f" process may open {files:,} files here; a limit of"
                    f" {sum(wanted.values()) + others:,} (ulimit -Hn) suffices"
                )

    def _greedy(self) -> Iterator[str]:
        """Yield a note on models that answer alike each time: pass@k would only cost more."""
        largest = max(self.plan.pass_k)
        greedy = [
            str(model)
            for model in self.plan.models
            if (preset := self._servers.get(model.provider)) is not None
            and self._temperature(model, preset) == 0
        ]
        if largest > 1 and greedy:
            yield (
                f"pass@{largest} at temperature 0: the samples of {', '.join(greedy)} will hardly"
                " differ: set --temperature 0.8, or leave --pass-k at 1"
            )

    def _temperature(self, model: ModelSpec, preset: Preset) -> float | None:
        own = self.plan.variant(model).temperature
        return resolve(preset, self.plan.sampling).temperature if own is None else own

    def _for_plan(self, preset: Preset) -> Preset:
        """Leave the temperature to the server when there is one sample per case.

        The run's own number of requests at once is the first and the most.
        """
        if self._options.concurrency is not None:
            preset = bounded(preset, self._options.concurrency, first=self._options.concurrency)
        planned = self._options.first_samples or self.plan.samples_per_case
        single = max((planned, *self.plan.recorded.values())) == 1
        return preset.model_copy(update={"temperature": None}) if single else preset

    def _recording(self, model: ModelSpec, cases: Sequence[Case]) -> CompletionSource:
        recording = open_recording(model.model)
        unknown = recording.unknown(cases)
        if unknown:
            skipped = count(len(unknown), "recorded case")
            more = ", …" if len(unknown) > NAMED else ""
            self.notes.append(
                f"{model}: skipped {skipped}, not in the run's eval sets:"
                f" {', '.join(unknown[:NAMED])}{more}"
            )
        for key, recorded in recording.counts(cases).items():
            planned = self.plan.count(model, key)
            if recorded < planned:
                raise ConfigError(
                    f"{model}: case {key} needs {planned} samples, but the recording has"
                    f" {recorded}: lower --samples, or select other cases with --case"
                )
        return recording

    def _endpoint(self, preset: Preset) -> "Endpoint":
        from forgetest.sampling.transport import Endpoint  # noqa: PLC0415 - as above

        key = self._options.environ.get(preset.key_env) if preset.key_env else None
        return Endpoint(preset, key, strict_params=self._options.strict_params)

    @asynccontextmanager
    async def opened(
        self,
        models: Collection[str],
        say: Callable[[str], None],
        waits: Callable[["Wait"], None],
        halt: Halt,
        host: CommandHost,
    ) -> AsyncIterator[dict[str, CompletionSource]]:
        """Yield the sources of some models by name; servers of other models are not opened.

        `say` hears, line by line, what happens to a whole provider, and `waits` of its pauses.
        """
        wanted = [model for model in self.plan.models if str(model) in models]
        async with AsyncExitStack() as stack:
            endpoints: dict[str, Endpoint] = {}
            commands = {
                name: await stack.enter_async_context(self._command(spec, host))
                for name, spec in self._commands.items()
            }
            for provider in dict.fromkeys(model.provider for model in wanted):
                preset = self._servers.get(provider)
                if provider == EMBEDDED:
                    preset = await self._start_embedded(stack)
                if preset is not None:
                    endpoint = await stack.enter_async_context(self._endpoint(preset))
                    endpoint.listen(say, waits)
                    endpoints[provider] = endpoint
            yield {str(model): self._source(model, endpoints, commands, halt) for model in wanted}

    def _source(
        self,
        model: ModelSpec,
        endpoints: Mapping[str, "Endpoint"],
        commands: Mapping[str, "CommandProvider"],
        halt: Halt,
    ) -> CompletionSource:
        """Return the source of one model, by what its provider is."""
        if model.provider == COMMANDS:
            return _commanded(model, commands[model.model], halt)
        if model.provider in endpoints:
            return _asking(model, endpoints[model.provider], halt)
        if str(model) in self._added:
            return PluginSource(model, self._added[str(model)], halt)
        return self._offline[str(model)]

    def _command(self, spec: CommandSpec, host: CommandHost) -> "CommandProvider":
        from forgetest.sampling.exec.source import CommandProvider  # noqa: PLC0415 - as above

        return CommandProvider(
            spec,
            host,
            self._options.environ,
            concurrency=self._options.concurrency,
            strict_params=self._options.strict_params,
        )

    async def _start_embedded(self, stack: AsyncExitStack) -> Preset:
        """Start the embedded model; it leaves one core to the graders."""
        server = await stack.enter_async_context(
            start(
                slots=LOCAL_SLOTS,
                threads=max(1, self._options.cores - 1),
                environ=self._options.environ,
            )
        )
        return self._for_plan(_embedded(server.base_url, server.slots))


def shares(wanted: Mapping[str, int], room: int) -> dict[str, int]:
    """Return what each gets of a room: all, or in proportion where it is too small, but one."""
    together = max(1, sum(wanted.values()))
    if together <= room:
        return dict(wanted)
    return {name: max(1, number * room // together) for name, number in wanted.items()}


def bounded(preset: Preset, most: int, *, first: int | None = None) -> Preset:
    """Return a server with at most so many requests at once, and `first` to begin with."""
    first = min(first or preset.concurrency, most)
    return preset.model_copy(update={"concurrency": first, "max_concurrency": most})


def _embedded(base_url: str, slots: int) -> Preset:
    return Preset(
        name=EMBEDDED,
        base_url=base_url,
        concurrency=slots,
        temperature=0.8,
        max_tokens=LOCAL_MAX_TOKENS,
        context_tokens=CONTEXT_PER_SLOT,
        local=True,
    )


def _factory(provider: str, config: Config) -> SourceFactory | None:
    """Return what opens the models of a provider that only a plugin has."""
    if provider in PRESETS or provider in config.providers:
        return None
    return plugin_factory(provider)


def _demand_embedded(model: ModelSpec) -> None:
    """Raise ConfigError for a model that is not the embedded one, or not installed."""
    if model.model != MODEL:
        raise ConfigError(f"{model} does not exist: the embedded model is {EMBEDDED}/{MODEL}")
    if not installed():
        raise ConfigError(f"{model} is not installed; run: forgetest local install")


def _commanded(model: ModelSpec, provider: "CommandProvider", halt: Halt) -> "CommandSource":
    from forgetest.sampling.exec.source import CommandSource  # noqa: PLC0415 - as above

    return CommandSource(model, provider, halt)


def _asking(model: ModelSpec, endpoint: "Endpoint", halt: Halt) -> "HttpSource":
    from forgetest.sampling.transport import HttpSource  # noqa: PLC0415 - as above

    return HttpSource(model, endpoint, halt)


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The source of samples that a recorded run has no completion of."""

    path: Path
    concurrency: int = 1

    async def complete(self, draw: Draw) -> Completion:
        """Raise `Fault`: no model is asked when a run is graded again."""
        message = f"{self.path} holds no completion of {draw.sample.key}"
        raise Fault(FaultKind.PROVIDER, message)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The sources of a run that is graded again."""

    path: Path

    @asynccontextmanager
    async def opened(
        self,
        models: Collection[str],
        say: Callable[[str], None],
        waits: Callable[["Wait"], None],
        halt: Halt,
        host: CommandHost,
    ) -> AsyncIterator[dict[str, CompletionSource]]:
        """Yield an empty source for each model that still lacks a completion."""
        del say, waits, halt, host
        yield {model: Unanswered(self.path) for model in models}

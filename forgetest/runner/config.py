"""Reads forgetest.toml: defaults for a run, and providers that extend the built-in presets.

`${VAR}` in a string is replaced from the environment. The file never holds an API key: a provider
names the variable that does.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import tomli
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from forgetest.errors import ConfigError, ConfigFileError, Problem
from forgetest.evalset.forms import SchemaAddress, quoted
from forgetest.evalset.positions import KeyPath, Positions, locate
from forgetest.evalset.schema import keys_of, tidied
from forgetest.run.settings import CacheTable, CompareTable, ReportTable, RunTable
from forgetest.runner.providers import ProviderTable, command_of, customized, problems_of
from forgetest.runner.variants import VariantName, VariantTable, table_problems
from forgetest.sampling.exec.command import CommandSpec
from forgetest.sampling.plan import COMMANDS
from forgetest.sampling.providers.presets import PRESETS, Preset
from forgetest.value import Value

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
BUILT_IN = ("local", "replay", "reference", COMMANDS)  # providers without a server of the user


class Config(Value):
    """The configuration of forgetest: defaults for runs, and providers."""

    run: RunTable = Field(
        RunTable(),
        description="Defaults for forgetest run and grade.",
        examples=[{"models": ["ollama/qwen3:8b"], "samples": 5}],
    )
    cache: CacheTable = Field(
        CacheTable(), description="Size limits of the cache.", examples=[{"verdicts_mib": 256}]
    )
    report: ReportTable = Field(
        ReportTable(),
        description="Extra numbers in the report.",
        examples=[{"suite_weights": {"rust-basics": 2}}],
    )
    compare: CompareTable = Field(
        CompareTable(),
        description="The gate of forgetest compare, and what it tolerates.",
        examples=[{"gate": "evidence"}],
    )
    providers: dict[str, ProviderTable] = Field(
        default_factory=dict,
        description="Servers and commands of your own, and changes to built-in servers, by name.",
        examples=[{"mine": {"preset": "vllm", "base_url": "http://127.0.0.1:8000/v1"}}],
    )
    variants: dict[VariantName, VariantTable] = Field(
        default_factory=dict,
        description="Ways of asking, by name: provider/model@NAME, or --variant NAME.",
        examples=[{"terse": {"system": "Answer with Rust code alone."}}],
    )
    schema_address: SchemaAddress = None

    @property
    def servers(self) -> tuple[str, ...]:
        """The providers of the user that are model servers."""
        return tuple(name for name, table in self.providers.items() if table.command is None)

    @property
    def commands(self) -> tuple[str, ...]:
        """The providers of the user that are commands."""
        return tuple(name for name in self.providers if name not in self.servers)

    def command(self, name: str) -> CommandSpec:
        """Return the command of `exec/NAME`; ConfigError when it does not exist."""
        if name in self.commands:
            return command_of(name, self.providers[name])
        close = get_close_matches(name, self.commands, n=1)
        hint = f"did you mean {COMMANDS}/{close[0]}? Or add" if close else "add"
        raise ConfigError(
            f"there is no command {quoted(name)}; {hint} [providers.{name}] with a command to"
            " forgetest.toml"
        )

    def preset(self, name: str) -> Preset:
        """Return a server by name; ConfigError when it does not exist."""
        table = self.providers.get(name)
        if table is not None and table.command is not None:
            raise ConfigError(f"provider {quoted(name)} is a command: ask {COMMANDS}/{name}")
        if table is not None:
            return customized(name, table)
        if name in PRESETS:
            return PRESETS[name]
        known = [*PRESETS, *self.providers, *BUILT_IN]
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}? Or add" if close else "add"
        raise ConfigError(
            f"there is no provider {quoted(name)}; {hint} [providers.{name}] with a base_url to"
            " forgetest.toml"
        )


TABLES: dict[str, type[Value]] = {
    "run": RunTable,
    "cache": CacheTable,
    "report": ReportTable,
    "compare": CompareTable,
    "providers": ProviderTable,
    "variants": VariantTable,
}


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of forgetest.toml."""
    schema = tidied(Config.model_json_schema())
    for key in TABLES:
        schema["properties"][key].pop("default", None)  # of a whole table: its keys say it
    return {"title": "forgetest.toml", **schema}


def load_config(
    path: Path, environ: Mapping[str, str], *, tables: Collection[str] | None = None
) -> Config:
    """Return the configuration in a file; ConfigFileError carries every problem with its line.

    Of `tables`, if given, is all that is read and checked.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    return parse_config(text, file=str(path), environ=environ, tables=tables)


def parse_config(
    text: str,
    *,
    file: str,
    environ: Mapping[str, str],
    tables: Collection[str] | None = None,
) -> Config:
    """Return the configuration in TOML text; ConfigFileError carries every problem."""
    try:
        document = tomli.loads(text)
    except (tomli.TOMLDecodeError, ValueError, RecursionError) as error:
        # For huge integers and deep nesting, tomli lets Python's own errors through.
        raise ConfigFileError((Problem(file, None, f"not TOML: {error}"),)) from None
    if tables is not None:
        document = {name: table for name, table in document.items() if name in tables}
    positions = locate(text)
    unset: list[Problem] = []
    expanded = _expand(document, (), _Variables(file, positions, environ, unset))
    problems = [*unset, *_schema_problems(expanded, file, positions)]
    if problems:
        raise ConfigFileError(tuple(sorted(problems, key=lambda problem: problem.line or 0)))
    config = Config.model_validate(expanded)
    wrong = (
        *(
            Problem(file, positions.line(("providers", *path)), message)
            for name, table in config.providers.items()
            for path, message in problems_of(name, table)
        ),
        *_variant_problems(config, file, positions),
    )
    if wrong:
        raise ConfigFileError(wrong)
    for name in config.servers:
        customized(name, config.providers[name])
    return config


class _Variables:
    """Replaces variables of the environment, and collects the unset ones as problems."""

    def __init__(
        self,
        file: str,
        positions: Positions,
        environ: Mapping[str, str],
        problems: list[Problem],
    ) -> None:
        self.file, self.positions, self.environ, self.problems = file, positions, environ, problems

    def expand(self, text: str, path: KeyPath) -> str:
        def value(match: re.Match[str]) -> str:
            name = match.group(1)
            if name in self.environ:
                return self.environ[name]
            key = ".".join(map(str, path))
            message = f"{quoted(key)} uses ${{{name}}}, which is not set in the environment"
            self.problems.append(Problem(self.file, self.positions.line(path), message))
            return match.group(0)

        return VARIABLE.sub(value, text)


def _expand(node: Any, path: KeyPath, variables: _Variables) -> Any:
    match node:
        case str():
            return variables.expand(node, path)
        case dict():
            return {key: _expand(value, (*path, key), variables) for key, value in node.items()}
        case list():
            return [_expand(item, (*path, place), variables) for place, item in enumerate(node)]
        case _:
            return node


def _schema_problems(document: Mapping[str, Any], file: str, positions: Positions) -> list[Problem]:
    try:
        Config.model_validate(document)
    except ValidationError as error:
        return [
            Problem(file, positions.line(tuple(details["loc"])), _message(details))
            for details in error.errors(include_url=False)
        ]
    return []


def _variant_problems(config: Config, file: str, positions: Positions) -> Iterator[Problem]:
    for name, table in config.variants.items():
        for key, message in table_problems(name, table):
            path = tuple(filter(None, ("variants", name, key)))
            yield Problem(file, positions.line(path), f"{quoted('.'.join(path))}: {message}")


def _message(details: ErrorDetails) -> str:
    key = quoted(".".join(map(str, details["loc"])))
    if details["loc"][-1] == "[key]":
        named = quoted(".".join(map(str, details["loc"][:-1])))
        return f"{named}: a name is lower-case letters, digits, - and _, beginning with a letter"
    if details["type"] != "extra_forbidden":
        message = details["msg"].removeprefix("Value error, ")
        return f"{key}: {message[0].lower()}{message[1:]}"
    name = str(details["loc"][-1])
    if name in ("api_key", "key"):
        return f"{key}: do not put keys in files; name the variable that holds it: api_key_env"
    table = TABLES.get(str(details["loc"][0]), Config) if len(details["loc"]) > 1 else Config
    keys = keys_of(table)
    close = get_close_matches(name, keys, n=1)
    hint = f"did you mean {quoted(close[0])}?" if close else f"the keys here are {', '.join(keys)}"
    return f"unknown key {key}; {hint}"

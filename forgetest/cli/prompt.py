"""`forgetest prompt`: what would be sent for a case, without sending it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from forgetest.cli import options as opt
from forgetest.cli.completion import complete_model, complete_prompt_case, complete_variant, words
from forgetest.errors import ConfigError, ForgetestError

if opt.CALLED:
    from forgetest.check.prompts import plan_findings
    from forgetest.check.types import PromptFinding
    from forgetest.cli.configuration import configuration
    from forgetest.cli.terminal import check_format, results, warn, write_out
    from forgetest.evalset.load import load
    from forgetest.evalset.select import one_case
    from forgetest.evalset.shipped import shipped_files
    from forgetest.evalset.types import Case, EvalSet
    from forgetest.render.prompt import all_variants, finding_lines, prompt_text, variants_table
    from forgetest.run.settings import settle
    from forgetest.runner.config import Config
    from forgetest.runner.sources import OpenSources, SourceOptions
    from forgetest.runner.variants import resolve, resolved
    from forgetest.sampling.completion import Draw
    from forgetest.sampling.exec.workspace import given_text
    from forgetest.sampling.plan import COMMANDS, WITHOUT_VARIANTS, Plan, Sample
    from forgetest.sampling.prompt import draw_of
    from forgetest.sampling.providers.contract import estimated_tokens
    from forgetest.sampling.providers.presets import Preset
    from forgetest.sampling.providers.sampling import Terms, dropped, first_request
    from forgetest.sampling.providers.sampling import resolve as with_defaults
    from forgetest.system.machine import workers

NEUTRAL = "openai/MODEL"

CaseArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="CASE",
        help="Case: an id, SET/CASE such as starter/is-even, or a glob that matches one.",
        show_default=False,
        autocompletion=complete_prompt_case,
    ),
]
VariantOption = Annotated[
    str | None,
    typer.Option(
        "--variant",
        metavar="NAME",
        help="Way of asking, a variant of forgetest.toml.",
        show_default=False,
        autocompletion=complete_variant,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="Model as PROVIDER/MODEL or PROVIDER/MODEL@VARIANT. Default: the first of"
        " forgetest.toml.",
        show_default=False,
        autocompletion=complete_model,
    ),
]
RawOption = Annotated[
    bool,
    typer.Option(
        "--raw",
        help="Print the request's body, or what a command is given; where it goes on stderr.",
    ),
]
ListOption = Annotated[
    bool, typer.Option("--list", help="List the variants of forgetest.toml with their hashes.")
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="text or json.",
        autocompletion=words("text", "json"),
    ),
]


def prompt(
    case: CaseArgument = None,
    variant: VariantOption = None,
    model: ModelOption = None,
    eval_set: opt.EvalSets = None,
    raw: RawOption = False,
    list_: ListOption = False,
    format_: FormatOption = "text",
    config_file: opt.Config = None,
) -> None:
    """Print what a model would be asked, without asking it.

    Example: forgetest prompt starter/is-even --variant terse --model openai/MODEL --raw

    Warns of prompts that show tests or the solution, leave the question out, or are too long.
    """
    check_format(format_, ("text", "json"))
    config = configuration(config_file)
    if list_:
        variants = {name: resolve(name, table) for name, table in config.variants.items()}
        results().print(variants_table(all_variants(variants)))
        return
    if case is None:
        raise ConfigError(
            "no case given: name one, such as starter/is-even, or list the variants with --list"
        )
    chosen = _chosen_case(case, eval_set, config)
    plan = _plan(chosen, variant, model, config)
    (asked,) = plan.models
    draw = draw_of(
        plan, Sample(model=asked, eval_set=chosen.eval_set, case=chosen.id, index=0), chosen
    )
    sources = OpenSources(plan, config, _options())
    preset = sources.preset_of(asked.provider)
    findings = tuple(plan_findings(plan, sources.preset_of))
    if raw and asked.provider == COMMANDS:
        spec = config.command(asked.model)
        typer.echo(spec.description, err=True)
        write_out(given_text(spec, draw), None)
    elif raw:
        request = _request(draw, preset)
        typer.echo(f"{request['method']} {request['url']}", err=True)
        write_out(_json(request["body"]), None)
    elif format_ == "json":
        write_out(_json(_document(draw, preset, findings)), None)
    else:
        write_out(_text(draw, preset), None)
    warn(finding_lines(findings))


def _chosen_case(name: str, eval_set: Sequence[Path] | None, config: Config) -> Case:
    """Return the case of the named sets, of the configured ones, or of a set before its slash."""
    before, _, id_ = name.rpartition("/")
    paths = eval_set or tuple(map(Path, config.run.eval_sets or ()))
    if not paths and not before:
        raise ConfigError(
            f"no eval set to find {name} in: write SET/CASE, or name the set with --eval-set"
        )
    if not paths:
        return one_case(load([Path(before)]), id_)
    try:
        return one_case(load(paths), name)
    except ForgetestError:
        if eval_set or before not in shipped_files():
            raise
    return one_case(load([Path(before)]), id_)


def _plan(case: Case, variant: str | None, model: str | None, config: Config) -> Plan:
    """Return the plan of a run of this one case, with the settings of the configuration."""
    table = config.run.model_copy(
        update={
            "eval_sets": (case.eval_set,),
            "models": (model or _first_model(config),),
            "variants": None if variant is None else (variant,),
        }
    )
    settings = settle(table, cores=workers(), variants=config.variants)
    if (asked := settings.models[0]).provider in WITHOUT_VARIANTS:
        raise ConfigError(f"{asked} is not asked anything; name a model with --model")
    return Plan(
        models=settings.models,
        samples_per_case=settings.samples,
        pass_k=settings.pass_k,
        sampling=settings.sampling,
        eval_sets=(EvalSet(id=case.eval_set, name=case.eval_set, cases=(case,)),),
        variants=resolved(config.variants, settings.models),
    )


def _first_model(config: Config) -> str:
    asked = (
        name for name in config.run.models or () if name.partition("/")[0] not in WITHOUT_VARIANTS
    )
    return next(asked, NEUTRAL)


def _options() -> SourceOptions:
    return SourceOptions(
        environ=os.environ,
        concurrency=None,
        strict_params=False,
        cores=1,
        graders=1,
        demand_keys=False,
    )


def _text(draw: Draw, preset: Preset | None) -> str:
    """Return the conversation, with the parameters that are sent and those that are not."""
    if preset is None:
        return prompt_text(draw, draw.sampling)
    sampling = with_defaults(preset, draw.sampling)
    left_out = dropped(sampling, first_request(preset, draw), Terms())
    return prompt_text(draw, sampling, left_out)


def _request(draw: Draw, preset: Preset | None) -> dict[str, Any]:
    """Return method, URL and body of the first request; ConfigError where none is sent."""
    if preset is None:
        raise ConfigError(f"{draw.sample.model} is not asked over HTTP: it has no request body")
    request = first_request(preset, draw)
    url = f"{preset.base_url.rstrip('/')}{request.path}"
    return {"method": "POST", "url": url, "headers": dict(request.headers), "body": request.body}


def _document(
    draw: Draw, preset: Preset | None, findings: Sequence[PromptFinding]
) -> dict[str, Any]:
    """Return what `--format json` prints."""
    return {
        "case": draw.case.key,
        "model": draw.sample.model.plain,
        "variant": draw.sample.model.variant_shown,
        "hash": draw.variant.hash,
        "system": draw.prompt.system,
        "turns": [turn.model_dump() for turn in draw.prompt.turns],
        "estimated_tokens": estimated_tokens(draw.prompt),
        "request": None if preset is None else _request(draw, preset),
        "findings": [finding.model_dump(mode="json") for finding in findings],
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"

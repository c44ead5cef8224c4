"""What a run is, written once at its start: plan, versions, limits, hashes. Never a key."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from pydantic import Field, ValidationError

from forgetest.errors import RunDirError
from forgetest.evalset.types import Case, EvalSet, set_added_keys
from forgetest.run.seal import DIGEST, SealState, check_document
from forgetest.run.settings import ReportTable
from forgetest.sampling.completion import Usd
from forgetest.sampling.plan import Plan
from forgetest.sandbox.backends import Backend
from forgetest.sandbox.types import Guarantees
from forgetest.value import Value

SCHEMA_VERSION = 1
# In a run's folder.
MANIFEST, REPORT, JOURNAL = "manifest.json", "report.json", "journal.jsonl"


class CaseHashes(Value):
    """SHA-256 prefixes of a case's parts: what changed between two runs of one case."""

    prompt: str = Field(
        description="SHA-256 of the prompt, first 16 hex digits; so are the others."
    )
    tests: str = Field(description="Of the tests, the requirements and the edition.")
    context: str = Field(description="Of the files that the prompt shows.")
    dependencies: str = Field(description="Of the crates that the case allows.")
    reference: str = Field(description="Of the reference solution.")


class ToolchainInfo(Value):
    """The toolchain that graded."""

    rustc: str = Field(description="All of `rustc -vV`.")
    cargo: str = Field(description="`cargo -V`.")
    clippy: str = Field(description="`cargo clippy -V`.")


class SandboxInfo(Value):
    """The sandbox of the generated code, and what it guarantees."""

    backend: Backend = Field(description="Name of the sandbox.")
    version: str = Field(description="Its version.")
    guarantees: Guarantees = Field(
        description="What it kept generated code from: enforced, best effort or absent."
    )


class LeftOut(Value):
    """A case that was left out of the run."""

    case: str  # `set/case`
    reason: str


class EarlierPlan(Value):
    """What a run was before it was extended."""

    until: str  # UTC, ISO 8601
    command: tuple[str, ...]
    plan_digest: str
    samples_per_case: int
    report: str  # the file next to the new report; empty where there was none


class Manifest(Value):
    """A run's identity; `plan` holds the eval sets as they were."""

    schema_version: int = SCHEMA_VERSION
    forgetest: str
    created: str  # UTC, ISO 8601
    command: tuple[str, ...]
    plan: Plan
    plan_digest: str
    prompt_version: int
    extractor: str
    scoring_profile: str
    lint_rule: str
    toolchain: ToolchainInfo
    limits: dict[str, float | int]
    sandbox: SandboxInfo | None = None  # None: of a version that had none
    endpoints: dict[str, str] = Field(default_factory=dict)  # provider -> base URL
    case_hashes: dict[str, CaseHashes] = Field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()  # broken cases, where a run was to skip them
    report_options: ReportTable | None = None  # what the report has in addition to the score
    max_cost_usd: Usd | None = Field(  # of all sessions, unless one is given another
        None, exclude_if=lambda value: value is None
    )
    names_recordings: bool = Field(  # reports name them by their model; once by their file
        default=False, exclude_if=lambda value: value is False
    )
    history: tuple[EarlierPlan, ...] = Field(  # of a run that was extended, the earliest first
        (), exclude_if=lambda value: not value
    )
    python: str = ""
    platform: str = ""

    @classmethod
    def read(cls, data: Any, raw: bytes, *, file: str) -> "Manifest":
        """Return the manifest in parsed JSON; RunDirError when it is newer, damaged or edited.

        `raw` is what was parsed: its digest covers all of it. Manifests from before there was one
        are checked by the digest of their plan alone.
        """
        version = data.get("schema_version") if isinstance(data, dict) else None
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise RunDirError(
                f"{file}: written by forgetest {data.get('forgetest')} with schema {version};"
                f" this one reads up to {SCHEMA_VERSION}: upgrade forgetest"
            )
        digest = data.pop(DIGEST, None) if isinstance(data, dict) else None
        try:
            manifest = cls.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise RunDirError(f"{file}: {place}: {first['msg']}; the folder is damaged") from None
        if manifest.plan.digest != manifest.plan_digest:
            raise RunDirError(f"{file}: the plan was edited after the run began; start a new run")
        if check_document(raw, digest) is SealState.BROKEN:
            raise RunDirError(
                f"{file}: does not match its digest: it was damaged, or edited after the run began;"
                " restore it or start a new run"
            )
        return manifest


def hashes(eval_sets: tuple[EvalSet, ...]) -> dict[str, CaseHashes]:
    """Return the hashes of every case, by `set/case`."""
    return {case.key: hash_case(case) for eval_set in eval_sets for case in eval_set.cases}


def hash_case(case: Case) -> CaseHashes:
    """Return 16 hex digits of SHA-256 for each part of a case that can change a result."""
    return CaseHashes(
        prompt=_digest(case.prompt, case.protocol),
        tests=_digest(case.expectations.model_dump_json(), case.edition, *_added(case)),
        context=_digest(*(part for file in case.context for part in (file.path, file.content))),
        dependencies=_digest(*(item.model_dump_json() for item in case.dependencies)),
        reference=_digest(case.reference_solution or ""),
    )


def _added(case: Case) -> Iterator[str]:
    """Yield the newer keys that a case sets; cases without them keep the hash they had."""
    for key, value in set_added_keys(case).items():
        yield key
        yield value if isinstance(value, str) else json.dumps(value)


def _digest(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]

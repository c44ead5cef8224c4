"""The public contract of plugins: what a package may add to forgetest, and the types for it.

A package names each part as an entry point: a `Plugin(api=1, provides=...)`.

- `forgetest.providers`: a `WireProtocol`, for `protocol = "NAME"` in forgetest.toml, or a
  `SourceFactory`, whose models are asked as `NAME/MODEL`;
- `forgetest.importers`: an `Importer`, for `forgetest import NAME`;
- `forgetest.formats`: a `Format`, for `forgetest report --format NAME`.

These are the types of the built-in ones. `API_VERSION` rises when one of them changes in a way that
a plugin notices.
"""

from forgetest.errors import ConfigError, Fault, FaultKind, ForgetestError
from forgetest.evalset.types import Case, Dependency, EvalSet, Expectations
from forgetest.importers.types import (
    Imported,
    Importer,
    ImportOptions,
    Recorded,
    SkippedItem,
    case_id,
    set_id,
)
from forgetest.render.formats.catalogue import Format
from forgetest.render.formats.standing import Files
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths
from forgetest.report.types import Report
from forgetest.sampling.completion import (
    Completion,
    CompletionSource,
    Cost,
    Draw,
    Finish,
    Prompt,
    SourceFactory,
    Turn,
    Usage,
)
from forgetest.sampling.providers.contract import (
    ApiError,
    Call,
    HttpRequest,
    ModelInfo,
    ModelPage,
    UnreadableError,
    WireProtocol,
)
from forgetest.system.plugins import API_VERSION, Plugin

__all__ = [
    "API_VERSION",
    "ApiError",
    "Call",
    "Case",
    "Completion",
    "CompletionSource",
    "ConfigError",
    "Cost",
    "Dependency",
    "Draw",
    "EvalSet",
    "Expectations",
    "Fault",
    "FaultKind",
    "Files",
    "Finish",
    "ForgetestError",
    "Format",
    "HttpRequest",
    "ImportOptions",
    "Imported",
    "Importer",
    "ModelInfo",
    "ModelPage",
    "Paths",
    "Plugin",
    "Prompt",
    "Recorded",
    "Report",
    "ShownRun",
    "SkippedItem",
    "SourceFactory",
    "Turn",
    "UnreadableError",
    "Usage",
    "WireProtocol",
    "case_id",
    "set_id",
]

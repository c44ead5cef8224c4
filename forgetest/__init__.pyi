from forgetest.api.blocking import grade_many
from forgetest.api.cases import Cases, load
from forgetest.api.comparisons import RunComparison as Comparison
from forgetest.api.comparisons import compare
from forgetest.api.grader import Grader
from forgetest.api.reports import RunReport as Report
from forgetest.api.result import Result, Weights
from forgetest.api.runs import Progress, run
from forgetest.errors import Fault, FaultKind, ForgetestError
from forgetest.integrations import inspect as inspect
from forgetest.integrations import lm_eval as lm_eval
from forgetest.integrations import trl as trl
from forgetest.integrations import verifiers as verifiers
from forgetest.version import __version__

__all__ = [
    "Cases",
    "Comparison",
    "Fault",
    "FaultKind",
    "ForgetestError",
    "Grader",
    "Progress",
    "Report",
    "Result",
    "Weights",
    "__version__",
    "compare",
    "grade_many",
    "load",
    "run",
]

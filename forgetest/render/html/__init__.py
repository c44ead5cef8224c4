"""Reports and comparisons as HTML pages that open from disk and ask nobody for anything."""

from forgetest.render.html.comparison import comparison_files
from forgetest.render.html.page import report_files
from forgetest.render.run import ShownRun

__all__ = ["ShownRun", "comparison_files", "report_files"]

"""Reports and comparisons as HTML pages that open from disk and load nothing from the network.

`page.py` is the page of a report, `comparison.py` that of a comparison. Both fill the templates
with tables, `charts/` and, for the page's script, the data of `data.py`.
"""

from forgetest.render.html.comparison import comparison_files
from forgetest.render.html.page import report_files
from forgetest.render.run import ShownRun

__all__ = ["ShownRun", "comparison_files", "report_files"]

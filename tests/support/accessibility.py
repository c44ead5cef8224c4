"""What axe-core, an independent judge, holds against a page."""

from pathlib import Path
from typing import Any

import axe_playwright_python
from browsing import Opened

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")


GRAVE = ("serious", "critical")


def violations(opened: Opened) -> list[str]:
    """Return the grave violations with the elements that have them."""
    # axe is not of the page: it comes through the debugger, which no policy binds.
    opened.page.evaluate(AXE.read_text(encoding="utf-8") + ";0")
    found: dict[str, Any] = opened.page.evaluate("axe.run()")
    assert found["passes"]
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:160]} {node['failureSummary']}"
        for one in found["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]

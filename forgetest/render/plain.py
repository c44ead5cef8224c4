"""The terminal's tables as plain text, for a file."""

from io import StringIO

from rich.console import Console, RenderableType

FILE_WIDTH = 120  # columns of a file


def plain_text(*parts: RenderableType) -> str:
    """Return what is printed of the parts, one below the other, without colour."""
    page = StringIO()
    console = Console(file=page, width=FILE_WIDTH, highlight=False, no_color=True)
    for part in parts:
        console.print(part)
    return page.getvalue()

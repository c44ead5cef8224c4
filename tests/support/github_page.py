"""What GitHub's own renderer makes of a markdown text, counted by an HTML parser."""

from collections import Counter
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

EXTENSIONS = ["table", "autolink", "strikethrough", "tagfilter"]
OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES | Options.CMARK_OPT_GITHUB_PRE_LANG
QUIET = {"code", "pre"}  # where GitHub looks for no mention and no reference


def rendered(markdown: str) -> str:
    return str(
        cmarkgfm.markdown_to_html_with_extensions(markdown, options=OPTIONS, extensions=EXTENSIONS)
    )


class Page(HTMLParser):
    """Tags, the cells of each table's rows, and the text inside and outside of code."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.comments: list[str] = []
        self.tables: list[list[int]] = []
        self.code: list[str] = []
        self.prose = ""
        self._open: list[str] = []
        self.feed(rendered(markdown))
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - of the base
        self.tags[tag] += 1
        if tag not in {"br", "hr", "img", "input"}:
            self._open.append(tag)
        match tag:
            case "table":
                self.tables.append([])
            case "tr":
                self.tables[-1].append(0)
            case "td" | "th":
                self.tables[-1][-1] += 1
            case "code":
                self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.comments.append(data.strip())

    def handle_data(self, data: str) -> None:
        if "code" in self._open:
            self.code[-1] += data
        elif not QUIET & set(self._open):
            self.prose += data

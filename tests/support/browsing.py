"""A real browser that opens pages from disk, and remembers whatever they try."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
WIDE = {"width": 1280, "height": 900}


@dataclass
class Opened:
    """A page, what it asked for beside itself, and what it complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        """Return what a person reads there."""
        return self.page.locator(selector).inner_text()

    def await_text(self, selector: str, text: str) -> None:
        """Wait until a person reads it there: a link within the page is followed a moment later."""
        expect(self.page.locator(selector)).to_contain_text(text, use_inner_text=True)


@dataclass(frozen=True)
class Browsing:
    """Opens files in contexts of their own."""

    browser: Browser

    def open(
        self,
        folder: Path,
        files: Mapping[str, object],
        *,
        at: str = "",
        scripts: bool = True,
        **context: object,
    ) -> Opened:
        """Write files, and open the first of them, at an address within it."""
        for name, text in files.items():
            (folder / name).write_text(str(text), encoding="utf-8")
        made = self.browser.new_context(
            **{
                "viewport": WIDE,
                "java_script_enabled": scripts,
                "reduced_motion": "reduce",
                **context,
            }
        )
        made.set_default_timeout(10_000)
        opened = Opened(made.new_page())
        address = (folder / next(iter(files))).as_uri()
        opened.page.on("request", lambda asked: opened.requests.append(asked.url))
        opened.page.on(
            "console", lambda told: opened.complaints.append(f"{told.type}: {told.text}")
        )
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        opened.page.on("dialog", lambda asked: opened.complaints.append(asked.message))
        opened.page.goto(address + at)
        opened.requests[:] = [url for url in opened.requests if url.partition("#")[0] != address]
        return opened

    def close_pages(self) -> None:
        """Close every page that is open."""
        for context in self.browser.contexts:
            context.close()


@contextmanager
def started() -> Iterator[Browsing]:
    """Start a browser of this machine, headless; skip where there is none."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no browser here; install chromium")
    with sync_playwright() as playwright:
        # Without its own sandbox, so that it starts for root in a container too.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield Browsing(browser)
        finally:
            browser.close()

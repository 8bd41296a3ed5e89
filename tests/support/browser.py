"""A headless Chromium in which tests open reports.

    with Browser() as browser:
        browser.open(folder / "report.html")
        assert browser.value("document.title") == "Run r1"
        assert browser.complaints == []

It notes what the page complains of, and which addresses it requests.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.browser_keys import key_events
from tests.support.browser_process import PATIENCE_S, BrowserProcess
from tests.support.page_notes import PageNotes


class Browser:
    """One page of one browser, for the length of a `with` block.

    A method that waits longer than `PATIENCE_S`, or for a browser that is gone, fails the test.
    """

    def __init__(self) -> None:
        notes = PageNotes()
        self.complaints = notes.complaints
        """Errors, console output and dialogs of the page: a good page has none."""
        self.requests = notes.requests
        """The addresses that pages have requested; `open` empties the list."""
        self._process = BrowserProcess(notes.note)

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.close()

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the browser's protocol, and return its result."""
        return self._process.send(method, **parameters)

    def open(self, path: Path, *, anchor: str = "") -> None:
        """Open a file, at an anchor such as `#trial-3`, and wait until it is loaded."""
        self.send("Page.navigate", url="about:blank")
        self.requests.clear()
        self.send("Page.navigate", url=path.absolute().as_uri() + anchor)
        self.wait("document.readyState === 'complete'")

    def visit(self, address: str) -> None:
        """Open a page of a server, and wait until its script has run.

        At its end, the script of every page sets `document.documentElement.dataset.ready`.
        """
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        self.wait(
            "document.readyState === 'complete' && 'ready' in document.documentElement.dataset"
        )

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression (or of its promise), as JSON has it.

        `value("document.querySelectorAll('tr').length")` -> `3`
        """
        evaluation = self.send(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
        )
        assert "exceptionDetails" not in evaluation, evaluation
        return evaluation["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until a JavaScript expression is true; fail after `PATIENCE_S` seconds."""
        deadline = time.monotonic() + PATIENCE_S
        while not self.value(expression):
            assert time.monotonic() < deadline, expression
            time.sleep(0.02)

    def wait_for(self, selector: str) -> None:
        """Wait until the page has an element: `wait_for("#step-1 .code")`."""
        self.wait(f"document.querySelector({json.dumps(selector)}) !== null")

    def text(self, selector: str) -> str:
        """Return the text of the first such element: `text("#trial > h2")` -> `"Step 1"`."""
        text = self.value(f"document.querySelector({json.dumps(selector)}).textContent")
        assert isinstance(text, str)
        return text

    def click(self, selector: str) -> None:
        """Click the first such element: `click("#chosen button")`."""
        self.value(f"document.querySelector({json.dumps(selector)}).click()")

    def press(self, *keys: str) -> None:
        """Press and release keys one after the other: `press("a", "Enter")`."""
        for key in keys:
            for event in key_events(key):
                self.send("Input.dispatchKeyEvent", **event)

    def size(self, width: int, height: int = 900) -> None:
        """Make the window this large, in pixels."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

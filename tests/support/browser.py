"""A headless Chromium in which tests open reports.

    with Browser() as browser:
        browser.open(folder / "report.html")
        assert browser.value("document.title") == "Run r1"
        assert browser.complaints == []

It notes what the page complains of, and which addresses it requests.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import pytest

# Key presses as events of the browser's protocol.
#
# `key_events("a")` has two: the key `a` goes down, which types the text "a", and up again.

KEY_CODES = {"Enter": 13, "Escape": 27, "Tab": 9}
"""The numbers by which pages know the keys that type no letter."""


def key_events(key: str) -> list[dict[str, Any]]:
    """Return the events of pressing and releasing a key: `a`, or `Enter`."""
    key_up: dict[str, Any] = {
        "type": "keyUp",
        "key": key,
        "windowsVirtualKeyCode": KEY_CODES.get(key, 0),
    }
    key_down = {**key_up, "type": "keyDown"}
    if len(key) == 1:
        key_down["text"] = key
    elif key == "Enter":
        key_down["text"] = "\r"
    return [key_down, key_up]


# The program of a headless Chromium, started with two pipes.
#
# browser = start_browser(profile_folder)
# os.write(browser.commands, command)       # JSON and a zero byte
# os.read(browser.messages, 1 << 16)        # answers and events

PROGRAM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


LAUNCHER_WITH_PIPES = """
# Becomes a browser that reads commands from descriptor 3 and writes answers to descriptor 4.
# The arguments are the ends of two pipes, and the words that start the browser.
import fcntl, os, sys
read_end, write_end = [int(word) for word in sys.argv[1:3]]
# Moved above 10 first, so that neither is overwritten before it is copied.
read_end = fcntl.fcntl(read_end, fcntl.F_DUPFD, 10)
write_end = fcntl.fcntl(write_end, fcntl.F_DUPFD, 10)
os.dup2(read_end, 3)
os.dup2(write_end, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""A browser with `--remote-debugging-pipe` expects its pipes there; `Popen` cannot choose the
numbers of descriptors."""


FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def find_browser() -> str:
    """Return the path of the browser; the test is skipped if there is none."""
    for name in PROGRAM_NAMES:
        program = shutil.which(name)
        if program is not None:
            return program
    pytest.skip("no Chromium here (Debian: apt-get install chromium)")


class StartedBrowser(NamedTuple):
    """A running browser, and our ends of the two pipes to it."""

    process: subprocess.Popen[bytes]
    commands: int
    """The descriptor to which commands are written."""
    messages: int
    """The descriptor from which its answers and events are read."""


def start_browser(profile_folder: str) -> StartedBrowser:
    """Start the browser with one empty page. It stores what it has to in `profile_folder`."""
    program = find_browser()
    browser_reads, commands = os.pipe()
    messages, browser_writes = os.pipe()
    launcher = [sys.executable, "-c", LAUNCHER_WITH_PIPES]
    launcher += [str(browser_reads), str(browser_writes)]
    profile = f"--user-data-dir={profile_folder}"
    process = subprocess.Popen(
        [*launcher, program, *FLAGS, profile, "about:blank"],
        pass_fds=(browser_reads, browser_writes),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(browser_reads)
    os.close(browser_writes)
    return StartedBrowser(process, commands, messages)


# A headless Chromium that is driven by its own protocol (CDP), over a pair of pipes.
#
#     process = BrowserProcess(note=print)
#     process.send("Page.navigate", url="about:blank")
#
# Commands and answers are JSON messages that end with a zero byte. Between an answer and the command
# that it belongs to, the browser may report events, such as a request of the page.

PATIENCE_S = 60
"""How long the browser may take for one answer, and a page until a condition holds."""


class BrowserProcess:
    """A browser with one page, which is gone after `close`.

    A method that waits longer than `PATIENCE_S`, or for a browser that is gone, fails the test.
    """

    def __init__(self, note: Callable[[dict[str, Any]], None]) -> None:
        self._note = note
        """Is called with each event that the browser reports."""
        self._unread = b""
        """The bytes of the browser that were received and belong to later messages."""
        self._last_number = 0
        """The number of the last command; the answer to it has the same number."""
        self._session = ""
        """The browser's name for the page; empty until the page is attached."""
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._browser = start_browser(self._profile.name)
        self._attach_to_page()

    def _attach_to_page(self) -> None:
        """Direct all later commands to the browser's one page, and ask for the page's events.

        Each domain has the events of one subject: loading, scripts, messages, requests.
        """
        pages: list[dict[str, Any]] = []
        for target in self.send("Target.getTargets")["targetInfos"]:
            if target["type"] == "page":
                pages.append(target)
        attached = self.send(
            "Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True
        )
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        """End the browser, and remove what it has stored."""
        self._browser.process.terminate()
        self._browser.process.wait(PATIENCE_S)
        os.close(self._browser.commands)
        os.close(self._browser.messages)
        self._profile.cleanup()

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the protocol, and return its result.

        `send("Page.navigate", url="about:blank")`. Events that the browser reports before it
        answers are noted.
        """
        self._last_number += 1
        command: dict[str, Any] = {
            "id": self._last_number,
            "method": method,
            "params": parameters,
        }
        if self._session:
            command["sessionId"] = self._session
        unsent = json.dumps(command).encode() + b"\0"
        while unsent:
            count = os.write(self._browser.commands, unsent)
            unsent = unsent[count:]

        while True:
            message = self._next_message()
            if message.get("id") == self._last_number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self._note(message)

    def _next_message(self) -> dict[str, Any]:
        """Wait for the next whole message of the browser: an answer or an event."""
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._browser.messages], [], [], PATIENCE_S)
            assert ready, "the browser does not answer"
            data = os.read(self._browser.messages, 1 << 16)
            assert data, "the browser is gone"
            self._unread += data
        line, self._unread = self._unread.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message


# What a page in a browser complains of, and what it requests, by the events of the browser.
#
#     {"method": "Network.requestWillBeSent", "params": {"request": {"url": "file:///report.html"}}}
#
# adds "file:///report.html" to `requests`.


class PageNotes:
    """Lists of the complaints and requests of a page."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        """Errors, console output and dialogs."""
        self.requests: list[str] = []
        """Addresses."""

    def note(self, event: dict[str, Any]) -> None:
        """Add an event of the browser to one of the lists, if it belongs there."""
        parameters = event.get("params", {})
        match event.get("method"):
            case "Log.entryAdded":
                self.complaints.append(parameters["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.complaints.append(json.dumps(parameters["args"]))
            case "Page.javascriptDialogOpening":
                self.complaints.append(f"a dialog: {parameters['message']}")
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case _:
                pass


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
        self._leave_page()
        self.requests.clear()
        self.send("Page.navigate", url=path.absolute().as_uri() + anchor)
        self.wait("document.readyState === 'complete'")

    def visit(self, address: str) -> None:
        """Open a page of a server, and wait until its script has run.

        At its end, the script of every page sets `document.documentElement.dataset.ready`.
        """
        self._leave_page()
        self.send("Page.navigate", url=address)
        self.wait(
            "document.readyState === 'complete' && 'ready' in document.documentElement.dataset"
        )

    def _leave_page(self) -> None:
        """Leave the page for an empty one, and wait until it is there.

        A page that is asked for before that may be dropped.
        """
        self.send("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")

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
        """Return the text of the first such element, once there is one.

        text("#trial > h2")    -> "Step 1"
        """
        self.wait_for(selector)
        text = self.value(f"document.querySelector({json.dumps(selector)}).textContent")
        assert isinstance(text, str)
        return text

    def click(self, selector: str) -> None:
        """Click the first such element, once there is one: `click("#chosen button")`."""
        self.wait_for(selector)
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

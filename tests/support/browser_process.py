"""A headless Chromium that is driven by its own protocol (CDP), over a pair of pipes.

    process = BrowserProcess(note=print)
    process.send("Page.navigate", url="about:blank")

Commands and answers are JSON messages that end with a zero byte. Between an answer and the command
that it belongs to, the browser may report events, such as a request of the page.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import pytest

PROGRAM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

PATIENCE_S = 60
"""How long the browser may take for one answer, and a page until a condition holds."""

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
        self._start()
        self._attach_to_page()

    def _start(self) -> None:
        """Start the browser with a pipe for commands to it and a pipe for its messages."""
        program = find_browser()
        browser_reads, self._to_browser = os.pipe()
        self._from_browser, browser_writes = os.pipe()
        launcher = [sys.executable, "-c", LAUNCHER_WITH_PIPES]
        launcher += [str(browser_reads), str(browser_writes)]
        profile = f"--user-data-dir={self._profile.name}"
        self._process = subprocess.Popen(
            [*launcher, program, *FLAGS, profile, "about:blank"],
            pass_fds=(browser_reads, browser_writes),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(browser_reads)
        os.close(browser_writes)

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
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        os.close(self._to_browser)
        os.close(self._from_browser)
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
            count = os.write(self._to_browser, unsent)
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
            ready, _, _ = select.select([self._from_browser], [], [], PATIENCE_S)
            assert ready, "the browser does not answer"
            data = os.read(self._from_browser, 1 << 16)
            assert data, "the browser is gone"
            self._unread += data
        line, self._unread = self._unread.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message

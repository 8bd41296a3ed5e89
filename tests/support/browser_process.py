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
import tempfile
from collections.abc import Callable
from typing import Any

from tests.support.browser_program import start_browser

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

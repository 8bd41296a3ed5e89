"""A headless Chromium that tests open files in,
driven over a pipe by the browser's own protocol."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_S = 60
AS_3_AND_4 = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3]]
for number, end in zip((3, 4), ends):
    os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Starts a program whose descriptors 3 and 4 are
the ends of pipes, where the browser reads and writes."""
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
    """Return the program; the test that asks skips where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium here (Debian: apt-get install chromium)")
    return found


class Browser:
    """One page of one browser. Whatever it complains about is in `complaints`."""

    def __init__(self) -> None:
        program = find_browser()
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        through = (sys.executable, "-c", AS_3_AND_4, str(to_browser), str(from_browser))
        self._process = subprocess.Popen(
            [
                *through,
                program,
                *FLAGS,
                f"--user-data-dir={self._home.name}",
                "about:blank",
            ],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._rest, self._number, self._session = b"", 0, ""
        self.complaints: list[str] = []
        self.requests: list[str] = []
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self._session = self.send(
            "Target.attachToTarget", targetId=page["targetId"], flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE_S)
        os.close(self._to)
        os.close(self._from)
        self._home.cleanup()

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {
            "id": self._number,
            "method": method,
            "params": parameters,
        }
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], PATIENCE_S)
            assert ready, "the browser does not answer"
            data = os.read(self._from, 1 << 16)
            assert data, "the browser is gone"
            self._rest += data
        line, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def _note(self, event: dict[str, Any]) -> None:
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

    def open(self, path: Path, *, anchor: str = "") -> None:
        self.send("Page.navigate", url="about:blank")
        self.requests.clear()
        self.send("Page.navigate", url=path.absolute().as_uri() + anchor)
        self.wait("document.readyState === 'complete'")

    def visit(self, address: str) -> None:
        """Open a page of a server, and wait until its script has run."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        self.wait(
            "document.readyState === 'complete' && 'ready' in document.documentElement.dataset"
        )

    def value(self, expression: str) -> Any:
        """What an expression (or promise) comes to, as JSON."""
        found = self.send(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not self.value(expression):
            assert time.monotonic() < deadline, expression
            time.sleep(0.02)

    def press(self, *keys: str) -> None:
        for key in keys:
            text = (
                {"text": key}
                if len(key) == 1
                else {"text": "\r"}
                if key == "Enter"
                else {}
            )
            codes = {"Enter": 13, "Escape": 27, "Tab": 9}
            shared = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0)}
            self.send("Input.dispatchKeyEvent", type="keyDown", **shared, **text)
            self.send("Input.dispatchKeyEvent", type="keyUp", **shared)

    def size(self, width: int, height: int = 900) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

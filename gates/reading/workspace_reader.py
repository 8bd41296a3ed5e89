"""How a rule reads the workspace: by calls that the exit makes for it. They change nothing and are no evidence.

A rule that reads is a pure function of the submission and of what its calls returned. It waits for nothing: what it
asks and nobody has answered yet ends it, and it is called again, from its start, once the answers are there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

Result: TypeAlias = Mapping[str, Any]
"""The fields that a call returned, as the environment declares them."""


class ReadLimits(NamedTuple):
    """What all rules that read may use for one submission. Beyond it they do not apply."""

    calls: int = 40
    """Calls that differ."""
    cpu_s: float = 0.3
    """CPU seconds of the rules themselves."""
    wall_s: float = 3.0
    """Wall-clock seconds, calls included."""


class DoesNotApply(Exception):
    """A rule cannot tell whether its submission is right: something that it needs is not known."""


class Unread(DoesNotApply):
    """A call failed, was refused, or was not made. `code` is that of the failure, such as `not_found`."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class ReadCall:
    """One call that a rule asks for."""

    operation: str
    arguments: Mapping[str, Any]

    @cached_property
    def key(self) -> str:
        """The text that all equal calls share."""
        return json.dumps([self.operation, self.arguments], sort_keys=True)


class Unanswered(BaseException):
    """Ends a rule that asked for what is not there yet; no rule catches it."""

    def __init__(self, calls: Sequence[ReadCall]) -> None:
        super().__init__("calls without an answer")
        self.calls = calls


@dataclass(frozen=True, slots=True)
class Reader:
    """The workspace as a rule sees it. Every method raises `DoesNotApply` if it cannot return the whole.

    Calls that do not depend on each other are best asked for at once.
    """

    answers: Mapping[str, Result | Unread] = field(default_factory=dict)
    """What is known by now, by the key of the call."""

    def call_all(self, calls: Sequence[ReadCall]) -> list[Result]:
        """Return the results of declared calls that only read, in their order."""
        missing = [each for each in calls if each.key not in self.answers]
        if missing:
            raise Unanswered(missing)
        results: list[Result] = []
        for each in calls:
            answer = self.answers[each.key]
            if isinstance(answer, Unread):
                raise Unread(str(answer), answer.code)
            results.append(answer)
        return results

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of files."""
        results = self.call_all([ReadCall("read", {"path": each}) for each in paths])
        return [str(_whole(result, f"read {path}")["content"]) for path, result in zip(paths, results, strict=True)]

    def read(self, path: str) -> str:
        """Return the text of a file."""
        return self.read_all([path])[0]

    def list(self, path: str) -> tuple[str, ...]:
        """Return the paths of what a directory holds."""
        entries = self._call("list", path=path)["entries"]
        return tuple(str(each["path"]) for each in entries)

    def find(self, name: str, root: str) -> tuple[str, ...]:
        """Return the paths of the files below `root` whose base names fit a glob."""
        found = self._call("find", name=name, root=root, kind="files", limit=0)
        return tuple(str(each) for each in _whole(found, f"find {name}")["paths"])

    def search(self, pattern: str, root: str) -> tuple[tuple[str, str], ...]:
        """Return path and text of each line below `root` that a regular expression matches."""
        found = self._call("search", pattern=pattern, root=root, limit=0)
        return tuple((str(each["path"]), str(each["text"])) for each in _whole(found, f"search {pattern}")["matches"])

    def stat(self, path: str) -> Result:
        """Return what a path is."""
        return self._call("stat", path=path)

    def run(self, tool: str, *words: str, stdin: str = "") -> str:
        """Return what a tool that only reads prints. Another exit code than 0 is a failure."""
        result = self._call("exec", path=tool, args=list(words), stdin=stdin)
        if result["exit_code"] != 0:
            msg = f"{tool} ended with exit code {result['exit_code']}"
            raise DoesNotApply(msg)
        return str(result["stdout"])

    def _call(self, operation: str, **arguments: object) -> Result:
        return self.call_all([ReadCall(operation, arguments)])[0]


def _whole(result: Result, what: str) -> Result:
    if result.get("truncated"):
        msg = f"{what}: what came back is cut off"
        raise DoesNotApply(msg)
    return result

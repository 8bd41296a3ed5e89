"""Reads a workspace with calls of `harness`: lists of files, searches, files, output of tools.

A `harness` is the object with which a script makes calls. Environments limit what one call
returns, so long files are read in parts, and a result that is cut off is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from controlplane.benchmarks.shop.certain_values import require
from controlplane.sandbox.functions import Call, CannotRead, Harness, Outcome
from controlplane.sandbox.interface import CallError, error_codes

# The calls that were made in a workspace, with their outcomes, so that none is made twice.
#
# A call is an operation with its arguments, such as `read` with `{"path": "/AGENTS.md"}`. Its
# outcome is a result or an error.

_TIMED_OUT: Final = 124
"""The exit code of a tool that timed out, as in `timeout(1)`."""


class MadeCalls:
    """Makes calls with `harness` and remembers their outcomes.

    It also knows the calls that the trial made earlier: `harness.known`.
    """

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._outcomes: dict[str, Outcome] = {}
        """The result or error of each call, by `_key`."""
        for operation, arguments, outcome in harness.known:
            self._outcomes[_key((operation, arguments))] = outcome

    def result(self, call: Call) -> Mapping[str, Any]:
        """Return the result of one call. Raises `CannotRead` if it fails."""
        outcome = self.outcomes([call])[0]
        if isinstance(outcome, CallError):
            raise CannotRead(outcome.message)
        return outcome

    def outcomes(self, calls: Sequence[Call]) -> list[Outcome]:
        """Return the results or errors of calls, in order. New calls are made in parallel.

        If a new call runs a tool that times out, the tool is run once more. A known call is
        never repeated, even if it timed out.
        """
        new_calls = {}
        for call in calls:
            key = _key(call)
            if key not in self._outcomes:
                new_calls[key] = call
        self._make(new_calls)

        timed_out = {}
        for key, call in new_calls.items():
            if _has_timed_out(self._outcomes[key]):
                timed_out[key] = call
        self._make(timed_out)
        return [self._outcomes[_key(call)] for call in calls]

    def _make(self, calls: Mapping[str, Call]) -> None:
        """Make calls, given by their keys, and keep their outcomes."""
        if calls:
            outcomes = self._harness.side_by_side(list(calls.values()))
            self._outcomes.update(zip(calls, outcomes, strict=True))


def _key(call: Call) -> str:
    """Return a text that is the same for equal calls, an operation and its arguments."""
    operation, arguments = call
    return repr((operation, sorted(arguments.items())))


def _has_timed_out(outcome: Outcome) -> bool:
    return isinstance(outcome, Mapping) and outcome.get("exit_code") == _TIMED_OUT


_FoundLine: TypeAlias = tuple[str, str]
"""The path of a file, and the text of a line in it that a search has found."""


class WorkspaceReader:
    """Reads lists of files, files and the output of tools. No call is made twice.

    Every method raises `CannotRead` if a call fails or its result is cut off. A `harness` makes
    the calls: `find`, `tree`, `search`, `read`, and `exec`, which runs a tool.
    """

    def __init__(self, harness: Harness) -> None:
        self.tools = harness.executables
        """Short descriptions of the environment's declared tools, by path."""
        self._calls = MadeCalls(harness)

    def paths(self, root: str = "/") -> Sequence[str]:
        """Return the paths of all files below a folder.

        They come from the operation `find` or, if its result is cut off, from `tree`.
        """
        no_limit = 0
        arguments = {"name": "*", "root": root, "kind": "files", "limit": no_limit}
        listing = self._calls.result(("find", arguments))
        if not listing.get("truncated"):
            return tuple(str(path) for path in listing["paths"])
        tree = self._calls.result(("tree", {"root": root, "level": no_limit}))
        return tuple(_files_below(tree, root.rstrip("/")))

    def search(self, pattern: str, root: str = "/") -> Sequence[_FoundLine]:
        """Return the lines that a pattern matches, in files below a folder."""
        no_limit = 0
        arguments = {"pattern": pattern, "root": root, "limit": no_limit}
        result = self._calls.result(("search", arguments))
        is_whole = not result.get("truncated")
        require(is_whole, f"search {pattern}: what came back is cut off")
        lines = []
        for match in result["matches"]:
            lines.append((str(match["path"]), str(match["text"])))
        return tuple(lines)

    def read(self, path: str) -> str:
        """Return the text of a file. Raises `LookupError` if the file does not exist."""
        return self.read_all([path])[0]

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of several files. Raises `LookupError` if one does not exist.

        They are read in parallel, and long files in several parts.
        """
        files = [_FileInParts(path) for path in paths]
        unfinished = files
        while unfinished:
            # Each round reads the next part of all files that are not at their end.
            calls = [file.next_read() for file in unfinished]
            outcomes = self._calls.outcomes(calls)
            for file, outcome in zip(unfinished, outcomes, strict=True):
                file.add_part(outcome)
            unfinished = [file for file in unfinished if not file.is_whole]
        return [file.text for file in files]

    def run(self, tool: str) -> str:
        """Return the output of a tool that only reads. Raises `CannotRead` if the tool fails."""
        arguments = {"path": tool, "args": [], "stdin": ""}
        result = self._calls.result(("exec", arguments))
        exit_code = result["exit_code"]
        require(exit_code == 0, f"{tool} ended with exit code {exit_code}")
        return str(result["stdout"])


class _FileInParts:
    """A file that is read in parts, because one call returns a limited number of lines.

    Call `next_read`, make that call, and give its outcome to `add_part`, until `is_whole`.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.text = ""
        """The parts that have been read."""
        self.is_whole = False

    def next_read(self) -> Call:
        """Return the call, an operation and its arguments, that reads the next part."""
        arguments: dict[str, Any] = {"path": self.path}
        if self.text:
            arguments["start_line"] = self.text.count("\n") + 1
        return "read", arguments

    def add_part(self, outcome: Outcome) -> None:
        """Add the part that a call returned.

        Raises `LookupError` if the file does not exist, and `CannotRead` if the call failed.
        """
        if isinstance(outcome, CallError):
            if outcome.code == error_codes.NOT_FOUND:
                raise LookupError(str(outcome))
            raise CannotRead(outcome.message)
        part = str(outcome["content"])
        self.text += part
        self.is_whole = not outcome.get("truncated")
        if not self.is_whole:
            # The next call starts at a line. So if this part is empty, or ends in the middle of a
            # very long line, the rest cannot be read.
            ends_with_line = part.endswith("\n")
            require(ends_with_line, f"read {self.path}: what came back is cut off")


def _files_below(node: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the paths of the files in a node of a tree. `path` is the path of the node.

    `{"children": [{"name": "a.md"}]}`, `/docs` -> `/docs/a.md`
    """
    for child in node.get("children") or ():
        child_path = f"{path}/{child['name']}"
        if child.get("is_dir"):
            yield from _files_below(child, child_path)
        else:
            yield child_path

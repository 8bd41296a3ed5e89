"""Reads a workspace with calls of `harness`: lists of files, searches, files, output of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from controlplane.benchmarks.shop.texts.text import require
from controlplane.sandbox.functions import Call, CannotRead, Harness, Outcome
from controlplane.sandbox.interface import CallError, error_codes

_TIMED_OUT: Final = 124
"""The exit code of a tool that timed out, as in `timeout(1)`."""


class WorkspaceReader:
    """Reads lists of files, files and the output of tools. No call is made twice.

    A `ShopLayout` is created with one and reads everything through it. Every method
    raises `CannotRead` if a call fails or its result is cut off.
    """

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self.tools = harness.executables
        """Short descriptions of the environment's declared tools, by path."""
        self._outcomes: dict[str, Outcome] = {}
        """The result or error of each call, by `_key`.

        It includes calls that the trial made earlier (`harness.known`): they are not repeated.
        """
        for operation, arguments, outcome in harness.known:
            self._outcomes[_key((operation, arguments))] = outcome

    def paths(self, root: str = "/") -> Sequence[str]:
        """Return the paths of all files below a folder.

        They come from `find` or, if its result is cut off, from `tree`.
        """
        listing = self._result(
            ("find", {"name": "*", "root": root, "kind": "files", "limit": 0})
        )
        if not listing.get("truncated"):
            return tuple(str(path) for path in listing["paths"])
        tree = self._result(("tree", {"root": root, "level": 0}))
        return tuple(_files_below(tree, root.rstrip("/")))

    def search(self, pattern: str, root: str = "/") -> Sequence[tuple[str, str]]:
        """Return the path and text of each line that a pattern matches, in files below a folder."""
        result = self._result(
            ("search", {"pattern": pattern, "root": root, "limit": 0})
        )
        require(
            not result.get("truncated"), f"search {pattern}: what came back is cut off"
        )
        return tuple(
            (str(match["path"]), str(match["text"])) for match in result["matches"]
        )

    def read(self, path: str) -> str:
        """Return the text of a file. Raises `LookupError` if the file does not exist."""
        return self.read_all([path])[0]

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of several files.

        They are read in parallel, and long files in several parts.

        Raises `LookupError` if a file does not exist.
        """
        texts = [""] * len(paths)
        # The indices of files that have not been read to their end. Each round reads the
        # next part of all of them.
        unfinished = list(range(len(paths)))
        while unfinished:
            calls = [_next_read(paths[index], texts[index]) for index in unfinished]
            outcomes = self._make_calls(calls)
            cut_off = []
            for index, outcome in zip(unfinished, outcomes, strict=True):
                if isinstance(outcome, CallError):
                    if outcome.code == error_codes.NOT_FOUND:
                        raise LookupError(str(outcome))
                    raise CannotRead(outcome.message)
                texts[index] += str(outcome["content"])
                if outcome.get("truncated"):
                    # The next part begins with a new line, so this one must end with a whole line.
                    is_whole_line = texts[index].endswith("\n")
                    require(
                        is_whole_line, f"read {paths[index]}: what came back is cut off"
                    )
                    cut_off.append(index)
            unfinished = cut_off
        return texts

    def run(self, tool: str) -> str:
        """Return the output of a tool that only reads. Raises `CannotRead` if the tool fails."""
        result = self._result(("exec", {"path": tool, "args": [], "stdin": ""}))
        require(
            result["exit_code"] == 0,
            f"{tool} ended with exit code {result['exit_code']}",
        )
        return str(result["stdout"])

    def _result(self, call: Call) -> Mapping[str, Any]:
        """Return the result of one call. Raises `CannotRead` if it fails."""
        outcome = self._make_calls([call])[0]
        if isinstance(outcome, CallError):
            raise CannotRead(outcome.message)
        return outcome

    def _make_calls(self, calls: Sequence[Call]) -> list[Outcome]:
        """Return the outcomes of calls, in order. New calls are made in parallel.

        If a tool times out, it is run once more.
        """
        new_calls = {}
        for call in calls:
            if _key(call) not in self._outcomes:
                new_calls[_key(call)] = call
        self._make_and_keep(new_calls)
        timed_out = {
            key: call
            for key, call in new_calls.items()
            if _has_timed_out(self._outcomes[key])
        }
        self._make_and_keep(timed_out)
        return [self._outcomes[_key(call)] for call in calls]

    def _make_and_keep(self, calls: Mapping[str, Call]) -> None:
        if calls:
            outcomes = self._harness.side_by_side(list(calls.values()))
            self._outcomes.update(zip(calls, outcomes, strict=True))


def _next_read(path: str, text: str) -> Call:
    """Return the call, an operation and its arguments, that reads a file on after a text."""
    arguments: dict[str, Any] = {"path": path}
    if text:
        arguments["start_line"] = text.count("\n") + 1
    return "read", arguments


def _key(call: Call) -> str:
    """Return the dictionary key for a call."""
    operation, arguments = call
    return repr((operation, sorted(arguments.items())))


def _has_timed_out(outcome: Outcome) -> bool:
    return isinstance(outcome, Mapping) and outcome.get("exit_code") == _TIMED_OUT


def _files_below(node: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the paths of the files in a node of a tree. `path` is the path of the node."""
    for child in node.get("children") or ():
        child_path = f"{path}/{child['name']}"
        if child.get("is_dir"):
            yield from _files_below(child, child_path)
        else:
            yield child_path

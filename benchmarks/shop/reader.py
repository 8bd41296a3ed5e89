"""Reads a workspace for functions: files, listings and tools, by the calls of `harness`, many side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sandbox.functions import Call, CannotRead, Harness, Outcome
from sandbox.interface import CallError, error_codes

Given = ParamSpec("Given")
Found = TypeVar("Found")


class WorkspaceReader:
    """Reads files, listings and tools. Every method raises `CannotRead` if a call fails or its result is cut off."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._outcomes: dict[str, Outcome] = {_key((name, given)): result for name, given, result in harness.known}
        """The outcomes of calls, by operation and arguments."""

    @property
    def tools(self) -> Mapping[str, str]:
        """Short descriptions of the environment's declared tools, by path."""
        return self._harness.executables

    def paths(self, root: str = "/") -> Sequence[str]:
        """Return every file below a folder: from `find` or, if its result is cut off, from a tree."""
        found = self._result(("find", {"name": "*", "root": root, "kind": "files", "limit": 0}))
        if not found.get("truncated"):
            return tuple(str(path) for path in found["paths"])
        return tuple(_files(self._result(("tree", {"root": root, "level": 0})), root.rstrip("/")))

    def search(self, pattern: str, root: str = "/") -> Sequence[tuple[str, str]]:
        """Return path and text of each line below a folder that a regular expression matches."""
        found = self._result(("search", {"pattern": pattern, "root": root, "limit": 0}))
        if found.get("truncated"):
            msg = f"search {pattern}: what came back is cut off"
            raise CannotRead(msg)
        return tuple((str(match["path"]), str(match["text"])) for match in found["matches"])

    def read(self, path: str) -> str:
        """Return a file's text. Raises `LookupError` if there is none."""
        return self.read_all([path])[0]

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of several files, which are read side by side; a long one is continued where it was cut off.

        Raises `LookupError` if one is missing.
        """
        texts = ["" for _ in paths]
        cut = list(range(len(paths)))
        while cut:
            starts = [{"start_line": texts[at].count("\n") + 1} if texts[at] else {} for at in cut]
            calls: list[Call] = [("read", {"path": paths[at], **start}) for at, start in zip(cut, starts, strict=True)]
            parts = self._results(calls)
            for at, part in zip(cut, parts, strict=True):
                if isinstance(part, CallError):
                    if part.code == error_codes.NOT_FOUND:
                        raise LookupError(str(part))
                    raise CannotRead(part.message)
                texts[at] += str(part["content"])
                if part.get("truncated") and not str(part["content"]).endswith("\n"):
                    msg = f"read {paths[at]}: what came back is cut off"
                    raise CannotRead(msg)
            cut = [at for at, part in zip(cut, parts, strict=True) if isinstance(part, Mapping) and part["truncated"]]
        return texts

    def run(self, tool: str, *words: str, stdin: str = "") -> str:
        """Return the output of a tool that only reads. An exit code other than 0 is a failure."""
        result = self._result(("exec", {"path": tool, "args": list(words), "stdin": stdin}))
        if result["exit_code"] != 0:
            msg = f"{tool} ended with exit code {result['exit_code']}"
            raise CannotRead(msg)
        return str(result["stdout"])

    def _result(self, call: Call) -> Mapping[str, Any]:
        (outcome,) = self._results([call])
        if isinstance(outcome, CallError):
            raise CannotRead(outcome.message)
        return outcome

    def _results(self, calls: Sequence[Call]) -> list[Outcome]:
        """Return the outcomes of calls that only read, in their order; each is made once, but for a late tool's."""
        wanted = {_key(call): call for call in calls}
        if missing := wanted.keys() - self._outcomes.keys():
            asked = {key: call for key, call in wanted.items() if key in missing}
            self._make(asked)
            self._make({key: call for key, call in asked.items() if _is_late(self._outcomes[key])})
        return [self._outcomes[key] for key in map(_key, calls)]

    def _make(self, calls: Mapping[str, Call]) -> None:
        outcomes = self._harness.side_by_side(list(calls.values())) if calls else []
        self._outcomes.update(zip(calls, outcomes, strict=True))


def on_harness(
    function: Callable[Concatenate[WorkspaceReader, Given], Found], /
) -> Callable[Concatenate[WorkspaceReader | Harness, Given], Found]:
    """Let a function that takes a reader be called with `harness`, too, as a trial's child calls it."""

    @wraps(function)
    def call(reader: WorkspaceReader | Harness, /, *given: Given.args, **named: Given.kwargs) -> Found:
        return function(reader if isinstance(reader, WorkspaceReader) else WorkspaceReader(reader), *given, **named)

    return call


def _key(call: Call) -> str:
    operation, arguments = call
    return repr((operation, sorted(arguments.items())))


def _is_late(outcome: Outcome) -> bool:
    # The exit code of a tool that timed out, as `timeout(1)` has it.
    return isinstance(outcome, Mapping) and outcome.get("exit_code") == 124


def _files(node: Mapping[str, Any], path: str) -> Iterator[str]:
    for child in node.get("children") or ():
        below = f"{path}/{child['name']}"
        if child.get("is_dir"):
            yield from _files(child, below)
        else:
            yield below

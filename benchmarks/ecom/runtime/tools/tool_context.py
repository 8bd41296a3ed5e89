"""Defines a tool of `/bin`, the context that it works on, and its output."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.ecom.runtime.workspace import Workspace, record_text
from sandbox import FileTree
from sandbox.interface import ExecutableKind, Plain


@dataclass(frozen=True, slots=True)
class Output:
    """The output and exit code of a tool."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


class ToolFailure(Exception):
    """A tool failed; the message goes to stderr and the exit code is 1."""


@dataclass(slots=True)
class ToolContext:
    """The files and the workspace that all tools of a trial work on."""

    tree: FileTree
    workspace: Workspace

    def text(self, path: str) -> str:
        """Return the text of a file; the case of its path does not matter. Raises `ToolFailure`."""
        found = self.tree.resolve(path)
        text = None if found is None else self.tree.text(found)
        if text is None:
            msg = f"{path}: no such file"
            raise ToolFailure(msg)
        return text

    def records(self, root: str) -> Iterator[tuple[str, dict[str, Plain]]]:
        """Yield (path, data) of every record below `root` that is a JSON object."""
        for path in self.tree.paths():
            if path.startswith(root + "/") and path.endswith(".json"):
                try:
                    data = json.loads(self.tree.text(path) or "")
                except ValueError:
                    continue
                if isinstance(data, dict):
                    yield path, data

    def record(self, root: str, record_id: str) -> tuple[str, dict[str, Plain]]:
        """Return path and data of the record with this id. Raises `ToolFailure`."""
        for path in self.tree.paths():
            if path.startswith(root + "/") and path.rsplit("/", 1)[1] == f"{record_id}.json":
                try:
                    data = json.loads(self.tree.text(path) or "")
                except ValueError:
                    data = None
                if isinstance(data, dict):
                    return path, data
                msg = f"{path} is no valid record"
                raise ToolFailure(msg)
        msg = f"no record {record_id!r} under {root}"
        raise ToolFailure(msg)

    def save(self, path: str, data: dict[str, Plain]) -> None:
        """Write a record's file."""
        self.tree.write(path, record_text(data))


@dataclass(frozen=True, slots=True)
class Tool:
    """One program of `/bin`. `run` takes the context, the arguments and stdin, and may raise `ToolFailure`."""

    name: str
    kind: ExecutableKind
    summary: str
    usage: str
    """The text of `--help`: the usage line, then a description."""
    run: Callable[[ToolContext, Sequence[str], str], str | Output]

    def execute(self, context: ToolContext, arguments: Sequence[str], stdin: str) -> Output:
        """Run the tool. A failure gives an output with exit code 1, not an exception."""
        if list(arguments) == ["--help"]:
            return Output(stdout=f"usage: {self.usage}\n")
        try:
            printed = self.run(context, arguments, stdin)
        except ToolFailure as failure:
            return Output(stderr=f"{self.name}: {failure}\n", exit_code=1)
        return printed if isinstance(printed, Output) else Output(stdout=printed)

"""What a tool works on, what it gives back, and how one is declared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.ecom.runtime.workspace import Workspace, record_text
from sandbox import FileTree
from sandbox.interface import ExecutableKind, Plain


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool printed, and its exit code."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


class ToolFailure(Exception):
    """A tool could not do what it was told; its text goes to stderr and the exit code is 1."""


@dataclass(slots=True)
class ToolContext:
    """The files and the clock that tools share within one trial."""

    tree: FileTree
    workspace: Workspace

    def text(self, path: str) -> str:
        """Return the text of a file, whatever the case of its path. Raises `ToolFailure`."""
        found = self.tree.resolve(path)
        text = None if found is None else self.tree.text(found)
        if text is None:
            msg = f"{path}: no such file"
            raise ToolFailure(msg)
        return text

    def records(self, root: str) -> Iterator[tuple[str, dict[str, Plain]]]:
        """Yield (path, data) of every record below `root` that still is a JSON object."""
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
        """Replace a record's file."""
        self.tree.write(path, record_text(data))


@dataclass(frozen=True, slots=True)
class Tool:
    """One program of `/bin`. `run` gets the context, the arguments and stdin, and may raise `ToolFailure`."""

    name: str
    kind: ExecutableKind
    summary: str
    usage: str
    """What `--help` prints: the usage line, then what it does."""
    run: Callable[[ToolContext, Sequence[str], str], str | Output]

    def execute(self, context: ToolContext, arguments: Sequence[str], stdin: str) -> Output:
        """Run the tool. A failure is an output with exit code 1, never an exception."""
        if list(arguments) == ["--help"]:
            return Output(stdout=f"usage: {self.usage}\n")
        try:
            printed = self.run(context, arguments, stdin)
        except ToolFailure as failure:
            return Output(stderr=f"{self.name}: {failure}\n", exit_code=1)
        return printed if isinstance(printed, Output) else Output(stdout=printed)

"""Defines a tool of `/bin`, the context that it works on, and its output."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.runtime.workspace import Workspace, record_text
from sandbox import FileTree
from sandbox.interface import Plain

MAX_MESSAGE_CHARS: Final = 500


@dataclass(frozen=True, slots=True)
class Output:
    """The output and exit code of a tool."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


class ToolFailure(Exception):
    """A tool failed; the message goes to stderr and the exit code is 1."""


def parsed_json(text: str, where: str) -> Plain:
    """Return what JSON text holds. Raises `ToolFailure`, also for text that is nested too deeply."""
    try:
        parsed: Plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"{where}: {error}"
        raise ToolFailure(msg) from error
    return parsed


@dataclass(slots=True)
class ToolContext:
    """The files and the workspace that all tools of a trial work on."""

    tree: FileTree
    workspace: Workspace
    database: bytes | None = None
    """The records as an SQLite database, if a query has asked for them since the last change."""

    def text(self, path: str) -> str:
        """Return the text of a file; the case of its path does not matter. Raises `ToolFailure`."""
        found = self.tree.resolve(path)
        text = None if found is None else self.tree.text(found)
        if text is None:
            msg = f"{path}: no such file"
            raise ToolFailure(msg)
        return text

    def records(self, root: str) -> Iterator[tuple[str, dict[str, Plain]]]:
        """Yield (path, data) of every record below `root` that is a JSON object, by the names of the code."""
        for path in self.tree.paths():
            if path.startswith(root + "/") and path.endswith(".json"):
                with suppress(ToolFailure):
                    data = parsed_json(self.tree.text(path) or "", path)
                    if isinstance(data, dict):
                        yield path, self.workspace.names.known(data)

    def record(self, root: str, record_id: str) -> tuple[str, dict[str, Plain]]:
        """Return path and data of the record with this id, by the names of the code. Raises `ToolFailure`."""
        for path in self.tree.paths():
            if path.startswith(root + "/") and path.rsplit("/", 1)[1] == f"{record_id}.json":
                data = parsed_json(self.tree.text(path) or "", path)
                if isinstance(data, dict):
                    return path, self.workspace.names.known(data)
                msg = f"{path} is no valid record"
                raise ToolFailure(msg)
        msg = f"no record {record_id!r} under {root}"
        raise ToolFailure(msg)

    def save(self, path: str, data: dict[str, Plain]) -> None:
        """Write a record's file. A character that is none, which JSON can hold, becomes a question mark."""
        self.tree.write(path, record_text(self.workspace.names.shown(data)).encode("utf-8", "replace").decode())


@dataclass(frozen=True, slots=True)
class Tool:
    """One program of `/bin`, which `shop_surface` declares.

    `run` takes the context, the arguments and stdin, and may raise `ToolFailure`.
    """

    name: str
    usage: str | Callable[[RecordNames], str]
    """The text of `--help`, or what returns it: the usage line, then a description."""
    run: Callable[[ToolContext, Sequence[str], str], str | Output]

    def execute(self, context: ToolContext, arguments: Sequence[str], stdin: str) -> Output:
        """Run the tool. A failure gives an output with exit code 1, not an exception."""
        if list(arguments) == ["--help"]:
            usage = self.usage if isinstance(self.usage, str) else self.usage(context.workspace.names)
            return Output(stdout=f"usage: {usage}\n")
        try:
            printed = self.run(context, arguments, stdin)
        except (ToolFailure, ValueError, OverflowError, RecursionError) as failure:  # Records may hold any number.
            line = " ".join(str(failure).splitlines())[:MAX_MESSAGE_CHARS]
            return Output(stderr=f"{self.name}: {line}\n", exit_code=1)
        return printed if isinstance(printed, Output) else Output(stdout=printed)

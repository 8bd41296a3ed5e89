"""Runs the tools of a task.toml in the trial's worker process, so a slow tool ends only that."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.folder.matched_call import MatchedCall
from controlplane.benchmarks.folder.placeholders import match_arguments
from controlplane.sandbox.files.file_paths import normal_path
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import CallError, Plain, error_codes


class FolderRuntime:
    """The files and tools of one trial. `tools` are the tables of its task.toml as plain data."""

    def __init__(
        self, files: Mapping[str, str], tools: Sequence[Mapping[str, Any]]
    ) -> None:
        self._tools = {tool["path"]: tool for tool in tools}
        # Tools are listed as files. A script that reads one gets its summary, like the
        # start of a program's source.
        tool_texts = {}
        for path, tool in self._tools.items():
            tool_texts[path] = f"#!tool\n{tool['summary']}\n"

        def is_writable(path: str) -> bool:
            return path not in tool_texts

        self.tree = FileTree(
            ChainMap(tool_texts, files),  # type: ignore[arg-type] # The maps are only read.
            writable=is_writable,
        )

    @property
    def changes(self) -> Mapping[str, str | None]:
        """Files written (path to text) or deleted (path to None) since the start."""
        return self.tree.changes

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Run a tool (`exec`) or another file operation. Raises `CallError`."""
        method = self._execute if operation == "exec" else getattr(self.tree, operation)
        result: dict[str, Plain] = method(**arguments)
        return result

    def _execute(self, path: str, args: list[str], stdin: str = "") -> dict[str, Plain]:
        """Run a tool's first call that applies. Raises `CallError` if there is no such tool."""
        tool = self._tools.get(normal_path(path))
        if tool is None:
            msg = f"there is no tool {path}; there are {', '.join(self._tools)}"
            raise CallError(error_codes.NOT_FOUND, msg)
        name = str(tool["path"]).rpartition("/")[2]
        if args == ["--help"]:
            return _output(f"usage: {tool['help'] or name}\n")
        call = self._applying_call(tool["call"], args)
        if call is None:
            fault = f"{name}: it takes no such arguments; see --help\n"
            return _output(stderr=fault, exit_code=1)
        try:
            stdout = call.run(self.tree)
        except CallError as error:
            return _output(stderr=f"{name}: {error.message}\n", exit_code=1)
        return _output(stdout, call.error_text, call.table["exit_code"])

    def _applying_call(
        self, tables: Sequence[Mapping[str, Any]], args: list[str]
    ) -> MatchedCall | None:
        """Return the first call whose patterns and condition hold; None if there is none."""
        for table in tables:
            texts = match_arguments(table["args"], args)
            if texts is not None:
                call = MatchedCall(table, texts)
                if call.applies_to(self.tree):
                    return call
        return None


def _output(stdout: str = "", stderr: str = "", exit_code: int = 0) -> dict[str, Plain]:
    return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}


def open_tools(
    files: Mapping[str, str], directories: tuple[str, ...], data: Any
) -> FolderRuntime:
    """Return the files and tools of a task, in a worker. `data` has the tables of its tools.

    The sandbox passes these parameters to every benchmark's module. A task does not
    need `directories`.
    """
    return FolderRuntime(files, data)

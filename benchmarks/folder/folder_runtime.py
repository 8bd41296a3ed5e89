"""Runs the tools of a task.toml, in the trial's worker process.

    [[tool]]
    path = "/bin/loans"
    [[tool.call]]
    args = 'show ([0-9]+)'
    shows = "/loans/{1}.json"

A script runs this tool by `harness.exec("/bin/loans", ["show", "0543"])`, and the tool
prints a file. A tool has several such tables. The first one that applies is carried out.
"""

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
    """The files and tools of one trial.

    A tool is a table of task.toml, as data: `{"path": "/bin/loans", "call": [...], ...}`. Each
    of its calls is a table, too, which says for which arguments it applies, and what it
    prints: `{"args": "show ([0-9]+)", "shows": "/loans/{1}.json", ...}`.
    """

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
        """Run the tool at `path` with these arguments, as a shell runs a program.

        `/bin/loans`, `["end", "0543"]` -> `{"stdout": "loan 0543 ends", "exit_code": 0, ...}`.
        The tools of a task.toml do not read `stdin`. Raises `CallError` if there is no such
        tool; any other fault is in stderr.
        """
        tool = self._tools.get(normal_path(path))
        if tool is None:
            msg = f"there is no tool {path}; there are {', '.join(self._tools)}"
            raise CallError(error_codes.NOT_FOUND, msg)
        name = str(tool["path"]).rpartition("/")[2]
        if args == ["--help"]:
            return _output(f"usage: {tool['help'] or name}\n")
        matched_call = self._first_applicable(tool["call"], args)
        if matched_call is None:
            fault = f"{name}: it takes no such arguments; see --help\n"
            return _output(stderr=fault, exit_code=1)
        try:
            stdout = matched_call.run(self.tree)
        except CallError as error:
            return _output(stderr=f"{name}: {error.message}\n", exit_code=1)
        exit_code = matched_call.table["exit_code"]
        return _output(stdout, matched_call.error_text, exit_code)

    def _first_applicable(
        self, call_tables: Sequence[Mapping[str, Any]], args: list[str]
    ) -> MatchedCall | None:
        """Return the call of the first table that applies; None if none does.

        A table applies if its patterns match the arguments, and if the file that it names
        has the values of its condition, such as `when = {state = "open"}`.
        """
        for table in call_tables:
            texts = match_arguments(table["args"], args)
            if texts is not None:
                matched_call = MatchedCall(table, texts)
                if matched_call.applies_to(self.tree):
                    return matched_call
        return None


def _output(stdout: str = "", stderr: str = "", exit_code: int = 0) -> dict[str, Plain]:
    """Return the result of a tool."""
    return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}


def open_tools(
    files: Mapping[str, str], directories: tuple[str, ...], data: Any
) -> FolderRuntime:
    """Return the files and tools of a task, in a worker. `data` has the tables of its tools.

    The sandbox passes these parameters to every benchmark's module. A task does not
    need `directories`.
    """
    return FolderRuntime(files, data)

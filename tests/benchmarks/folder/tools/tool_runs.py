r"""Runs of a tool that a task defines, as a script makes them: `/bin/renew l-1 7`.

    call = {"args": r"(l-\d) (\d)", "file": "/loans/{1}.json", "set": {"due": "{2}"}}
    run = run_tool(call, "l-1", "7", files={"/loans/l-1.json": '{"due": 4}'})
    run.changes  # {"/loans/l-1.json": '{\n  "due": 7\n}\n'}

A *call* says what the tool does for some arguments. Its key `args` is a pattern for all arguments,
joined by spaces; in the other keys, `{1}` stands for what the first group has matched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.task_file import Tool

Call = dict[str, Any]


@dataclass
class ToolRun:
    """What a run of a tool has printed, and which files it has changed."""

    stdout: str
    stderr: str
    exit_code: int
    changes: Mapping[str, str | None]
    """The new texts of the files by path; None for a file that is deleted."""


def runtime_with(calls: list[Call], files: dict[str, str]) -> FolderRuntime:
    """Return the world of a task that has these files, and the tool `/bin/renew` with these calls."""
    tool = Tool.model_validate(
        {
            "path": "/bin/renew",
            "kind": "changes",
            "summary": "renews",
            "help": "renew LOAN TIMES",
            "call": calls,
        }
    )
    return FolderRuntime(files, [tool.model_dump(mode="json")])


def run_in(runtime: FolderRuntime, *arguments: str) -> ToolRun:
    """Run `/bin/renew` with these arguments, as a script does."""
    result = runtime.call(
        "exec", {"path": "/bin/renew", "args": list(arguments), "stdin": ""}
    )
    return ToolRun(
        result["stdout"], result["stderr"], result["exit_code"], runtime.tree.changes
    )


def run_tool(call: Call, *arguments: str, files: dict[str, str]) -> ToolRun:
    """Run a tool that has only this call, in the world of a task with these files.

    `run_tool({"args": "hello", "prints": "Hello."}, "hello", files={}).stdout` -> `"Hello."`
    """
    return run_in(runtime_with([call], files), *arguments)

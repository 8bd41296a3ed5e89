"""How a tool in a task.toml is declared to the agent: its path, its purpose, and if it reads files.

A tool such as `/bin/show PATH`, which only prints a file, counts as reading it: an answer may
then cite the file.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.folder.task_file.tool_table import Tool, ToolCall
from controlplane.sandbox.interface import Executable, ExecutableKind, FileArguments

PATTERNS_OF_ANY_ARGUMENT: Final = ("(.+)", "(.*)", r"(\S+)", r"(\S*)")
"""The patterns by which calls in task files usually take any argument, such as a path."""


def declared_tool(tool: Tool) -> Executable:
    """Return the declaration of a tool.

    If every call of the tool only prints the file in its argument, the declaration says
    that it reads files. An answer may then cite these files.
    """
    files = None
    if tool.call and all(_prints_its_file(call) for call in tool.call):
        files = FileArguments()
    return Executable(tool.path, ExecutableKind(tool.kind), tool.summary, files)


def _prints_its_file(call: ToolCall) -> bool:
    """Return True if a call takes only the path of a file and prints the file.

    In a task.toml, this is `args = "(.+)"` and `shows = "{1}"`: `{1}` is the text that
    the group matched, and `shows` is the path of the file to print.
    """
    if len(call.patterns) != 1:
        return False
    takes_any_path = call.patterns[0] in PATTERNS_OF_ANY_ARGUMENT
    return takes_any_path and call.shows == "{1}"

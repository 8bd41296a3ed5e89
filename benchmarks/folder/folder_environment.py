"""The environment of one trial of a folder's task: its files, its tools, and the pattern that its answer must fit."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from benchmarks.folder.folder_runtime import FolderTools, tree_of
from benchmarks.folder.task_file import Tool
from benchmarks.folder.task_folder import FolderTask
from benchmarks.local.local_environment import GivenAnswer, LocalEnvironment, WorldFiles
from sandbox.files import TOOL_WORLD, compiled_pattern
from sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    Executable,
    ExecutableKind,
    FileArguments,
    NamedFiles,
    OpeningCall,
    Surface,
)

AIDE_MODULES: Final = (TOOL_WORLD, "benchmarks.folder.folder_runtime")
DOCUMENTS: Final = "/docs"
FITTING_CHARS: Final = 3_900
HELP_CHARS: Final = 200
FILE_ALONE: Final = re.compile(r"\((?:\\S|\.)[+*]\)")


def surface_of(task: FolderTask) -> Surface:
    """Return the surface of a task's trials. Turn one shows the tree, the tools' output without arguments, the rules,
    the documents below `/docs` that fit, and the files that the instruction names."""
    file, files = task.file, task.files
    tools = file.tool
    opening = [OpeningCall("tree", {"root": "/", "level": 8}, longest_listing=6)]
    for tool in tools:
        if tool.kind == "reads" and any(not call.args for call in tool.call):
            opening.append(OpeningCall("exec", {"path": tool.path}))
    if file.rules in files:
        opening.append(OpeningCall("read", {"path": file.rules}))
    if any(path.startswith(f"{DOCUMENTS}/") and path.endswith(".md") for path in files):
        documents = EachOf("find", {"name": "*.md", "root": DOCUMENTS, "kind": "files", "limit": 0}, "paths")
        opening.append(OpeningCall("read", {}, documents, fitting_chars=FITTING_CHARS))
    opening += [OpeningCall("exec", {"path": tool.path, "args": ["--help"]}, most_chars=HELP_CHARS) for tool in tools]
    roots = {f"/{path.split('/')[1]}" for path in files if path.count("/") > 1} - {DOCUMENTS}
    return Surface(
        operations=tuple(operation for operation in FILE_OPERATIONS if tools or operation.name != "exec"),
        executables=tuple(map(_declared, tools)),
        rules_document=file.rules if file.rules in files else "",
        opening=tuple(opening),
        named_files=NamedFiles(tuple(sorted(roots)), search="search") if roots else None,
    )


def _declared(tool: Tool) -> Executable:
    """Return a tool's declaration. A tool that only takes the path of a file and prints the file counts as a read."""
    patterns = [(call.args,) if isinstance(call.args, str) else call.args for call in tool.call]
    takes_files = [len(given) == 1 and FILE_ALONE.fullmatch(given[0]) is not None for given in patterns]
    prints_files = takes_files and all(takes_files) and all(call.shows == "{1}" for call in tool.call)
    files = FileArguments() if prints_files else None
    return Executable(tool.path, ExecutableKind(tool.kind), tool.summary, files)


class FolderEnvironment(LocalEnvironment):
    """The files of a task and its tools."""

    def __init__(self, task: FolderTask) -> None:
        self._task = task
        tools: list[Any] = [tool.model_dump(mode="json") for tool in task.file.tool]
        world = WorldFiles(task.files, AIDE_MODULES[1], data=tools)
        super().__init__(surface_of(task), world, tree_of(task.files, tools))
        self._tables = tools
        self.pattern_fault = ""
        """The reason why the answer does not fit the expected pattern; empty if it fits."""

    def knows_file(self, path: str) -> bool:
        """Say whether the path is a file, or a result that a server of the task returned."""
        return super().knows_file(path) or path.startswith(tuple(f"/mcp/{name}/" for name in self._task.file.mcp))

    def now(self) -> datetime | None:
        """Return the clock of the task's world, None if the task has no clock."""
        return self._task.file.now

    def tools_here(self) -> FolderTools:
        """Return the task's tools in this process."""
        return FolderTools(self.tree, self._tables)

    def take_answer(self, given: GivenAnswer) -> None:
        """Keep the answer, and the reason if it does not fit the expected pattern."""
        pattern, message = self._task.file.expected.pattern, given.message.strip()
        if pattern and not compiled_pattern(pattern).fullmatch(message):
            self.pattern_fault = f"answer should fit the pattern {pattern!r}"
        super().take_answer(given)

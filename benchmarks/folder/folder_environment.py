"""The environment of one trial of a folder's task: its files, its tools, and the pattern that its answer must fit."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from benchmarks.folder.task_file import Tool
from benchmarks.folder.task_folder import FolderTask
from benchmarks.local.local_environment import Files, FirstFiles, GivenAnswer, LocalEnvironment
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Executable,
    ExecutableKind,
    FileArguments,
    NamedFiles,
    OpeningCall,
    Plain,
    Surface,
)

AIDE_MODULES: Final = ("benchmarks.folder.folder_runtime",)
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
        self._tools: list[Plain] = [tool.model_dump(mode="json") for tool in task.file.tool]
        super().__init__(surface_of(task), FirstFiles(task.files, AIDE_MODULES[0], data=self._tools))
        self.pattern_fault = ""
        """The reason why the answer does not fit the expected pattern; empty if it fits."""

    def knows_file(self, path: str) -> bool:
        """Say whether the path is a file, or a result that a server of the task returned."""
        return super().knows_file(path) or path.startswith(tuple(f"/mcp/{name}/" for name in self._task.file.mcp))

    def now(self) -> datetime | None:
        """Return the clock of the task's world, None if the task has no clock."""
        return self._task.file.now

    def files_here(self) -> Files:
        """Return the runtime of the files in this process."""
        from benchmarks.folder.folder_runtime import FolderRuntime

        tools: list[Any] = self._tools
        return FolderRuntime(self._task.files, tools)

    def take_answer(self, given: GivenAnswer) -> None:
        """Keep the answer, and the reason if it does not fit the expected pattern."""
        pattern, message = self._task.file.expected.pattern, given.message.strip()
        try:
            if pattern and not self.computed("fits", {"pattern": pattern, "text": message})["fits"]:
                self.pattern_fault = f"answer should fit the pattern {pattern!r}"
        except CallError as error:
            self.pattern_fault = f"whether the answer fits the pattern {pattern!r} could not be told: {error.message}"
        super().take_answer(given)

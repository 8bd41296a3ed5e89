"""The environment of one trial: its files with their changes, its tools, a clock, and one answer.

Its calls, and the pattern that its answer must fit, compute in the trial's aide if it was given one.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from benchmarks.folder.task_file import Tool
from benchmarks.folder.task_folder import FolderTask
from benchmarks.local.end_state_grader import GivenAnswer
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
    error_codes,
)

if TYPE_CHECKING:
    from benchmarks.folder.folder_runtime import FolderRuntime
    from sandbox import Aide
    from sandbox.files import AidedFiles

AIDE_MODULES: Final = ("benchmarks.folder.folder_runtime",)
DOCUMENTS: Final = "/docs"
FITTING_CHARS: Final = 3_900
HELP_CHARS: Final = 200
FILE_ALONE: Final = re.compile(r"\((?:\\S|\.)[+*]\)")


def surface_of(task: FolderTask) -> Surface:
    """Return what the trials of a task declare. Turn one shows the tree, what tools print without arguments, the rules,
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
    opening += [OpeningCall("exec", {"path": each.path, "args": ["--help"]}, most_chars=HELP_CHARS) for each in tools]
    roots = {f"/{path.split('/')[1]}" for path in files if path.count("/") > 1} - {DOCUMENTS}
    return Surface(
        operations=tuple(each for each in FILE_OPERATIONS if tools or each.name != "exec"),
        executables=tuple(map(_declared, tools)),
        rules_document=file.rules if file.rules in files else "",
        opening=tuple(opening),
        named_files=NamedFiles(tuple(sorted(roots)), search="search") if roots else None,
    )


def _declared(tool: Tool) -> Executable:
    """Return a tool's declaration. One that takes nothing but the path of a file, which it prints, has read it."""
    prints_files = tool.call and all(call.shows == "{1}" and FILE_ALONE.fullmatch(call.args) for call in tool.call)
    files = FileArguments() if prints_files else None
    return Executable(tool.path, ExecutableKind(tool.kind), tool.summary, files)


class FolderEnvironment:
    """The world that a trial's scripts work in. Changes stay within the trial. Calls may come from any thread."""

    def __init__(self, task: FolderTask) -> None:
        self._task = task
        self.submission: GivenAnswer | None = None
        self.pattern_fault = ""
        """Why the answer does not fit the pattern that was expected; empty if it does."""
        self._surface = surface_of(task)
        self._tools: list[Plain] = [each.model_dump(mode="json") for each in task.file.tool]
        self._files: AidedFiles | FolderRuntime | None = None
        self._lock = threading.Lock()
        self._is_open = True

    @property
    def surface(self) -> Surface:
        """The operations, tools, rules document and opening calls."""
        return self._surface

    @property
    def first_files(self) -> Mapping[str, str]:
        """The files by path as the trial found them."""
        return self._task.files

    @property
    def changes(self) -> Mapping[str, str | None]:
        """What was written (path to text) and deleted (path to None) since the start, by path."""
        return {} if self._files is None else self._files.changes

    def use_aide(self, aide: Aide) -> None:
        """Have every further call computed in this process, which has not begun, with the changes of those before."""
        from sandbox.files import AidedFiles

        with self._lock:
            earlier = self.changes
            self._files = AidedFiles(aide, AIDE_MODULES[0], self._task.files, data=self._tools)
            self._files.changes.update(earlier)

    def now(self) -> datetime | None:
        """Return the clock of the task's world, None if it has none."""
        return self._task.file.now

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a declared operation and return its result fields. Raises `CallError`."""
        with self._lock:
            self._refuse_when_ended()
            if self._surface.operation(operation) is None:
                raise CallError(error_codes.UNIMPLEMENTED, f"there is no operation {operation!r}")
            return self._computed(operation, arguments)

    def knows_file(self, path: str) -> bool:
        """Say whether a file stands at exactly `path`, or stood there at the start."""
        is_tool = any(path == each.path for each in self._task.file.tool)
        return is_tool or path in self._task.files or self.changes.get(path) is not None

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`: `already_exists` for a second one."""
        with self._lock:
            self._refuse_when_ended()
            if self.submission is not None:
                raise CallError(error_codes.ALREADY_EXISTS, "this trial has its answer already")
            self.pattern_fault = self._pattern_fault(message.strip())
            self.submission = GivenAnswer(message, outcome, tuple(refs))

    def close(self) -> None:
        """End the trial: every later call fails with `failed_precondition`."""
        with self._lock:
            self._is_open = False

    def _computed(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if self._files is None:
            from benchmarks.folder.folder_runtime import FolderRuntime

            tools: list[Any] = self._tools
            self._files = FolderRuntime(self._task.files, tools)
        return self._files.call(operation, arguments)

    def _pattern_fault(self, message: str) -> str:
        pattern = self._task.file.expected.pattern
        if not pattern:
            return ""
        try:
            fits = self._computed("fits", {"pattern": pattern, "text": message})["fits"]
        except CallError as error:
            return f"whether the answer fits the pattern {pattern!r} could not be told: {error.message}"
        return "" if fits else f"answer should fit the pattern {pattern!r}"

    def _refuse_when_ended(self) -> None:
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")

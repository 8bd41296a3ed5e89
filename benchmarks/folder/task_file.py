"""The contents of a `task.toml`: the instruction, the tools, and the required end of the trial."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails

from controlplane import did_you_mean
from gates.submission import OUTCOMES
from sandbox import Aide, normal_path
from sandbox.interface import CallError

TASK_FILE: Final = "task.toml"
AIDE_MODULE: Final = "benchmarks.folder.task_text"
MOST_CHARS: Final = 1_000_000
MOST_CALLS: Final = 1_000
SHOWN_CHARS: Final = 100
"""Characters of a key that a message shows."""
PLACEHOLDER: Final = re.compile(r"\{(\d)\}")


class FolderFault(Exception):
    """Something in a folder of tasks is wrong; the message begins with the file, and the line if there is one."""


Given = TypeVar("Given", str, str | tuple[str, ...])


def _path(value: str) -> str:
    try:
        normal = normal_path(value)
    except CallError as error:
        raise ValueError(error.message) from None
    if value != normal or value == "/":
        msg = f"{value!r} is not a path of the task's world; write it as {normal!r}"
        raise ValueError(msg)
    return value


def _patterns(value: Given, info: ValidationInfo) -> Given:
    for pattern in (value,) if isinstance(value, str) else value:
        if isinstance(found := (info.context or {}).get(pattern), str):
            raise ValueError(found)  # noqa: TRY004 - it is the aide's reason why the text is not a pattern
    return value


def _outcome(value: str) -> str:
    if value not in OUTCOMES:
        msg = f"there is no outcome {value!r}{did_you_mean(value, OUTCOMES)}"
        raise ValueError(msg)
    return value


WorldPath = Annotated[str, AfterValidator(_path)]
Pattern = Annotated[str, AfterValidator(_patterns)]
Patterns = Annotated[str | tuple[str, ...], AfterValidator(_patterns)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Table):
    """One way to call a tool.

    `{1}` in the other values is the text that the first group of `args` matched; a value that is only `{1}` becomes a
    whole number if the text is one.
    """

    args: Patterns = ""
    """The pattern that all arguments, joined by spaces, must fit in full; or one for each argument, which may then hold
    spaces."""
    prints: str = ""
    error: str = ""
    """The text for stderr."""
    exit_code: int = Field(0, ge=0, le=255)
    shows: str = ""
    """The path of a file whose text goes to stdout, before `prints`."""
    file: str = ""
    """The file that the call is about, in JSON, CSV, TSV, YAML or Markdown; `*` matches the name of a folder."""
    row: dict[str, Any] = Field(default_factory=dict)
    """The columns that select the row of a CSV or TSV file that the call is about."""
    when: dict[str, Any] = Field(default_factory=dict)
    """The call fits only if the file's fields hold these values; tables are compared key by key."""
    set: dict[str, Any] = Field(default_factory=dict)
    """The fields of that file that the call sets; a table is merged into the existing object."""
    append: str = ""
    """The text that the call adds to the end of that file; a missing file is made."""
    delete: bool = False
    """True if the call deletes that file."""

    @property
    def changes(self) -> bool:
        """True if the call changes its file."""
        return bool(self.set or self.append or self.delete)


class Tool(_Table):
    """A program of the task's world. The first call that fits is made; if none fits, it fails and does nothing."""

    path: WorldPath
    kind: Literal["reads", "changes"] = "reads"
    summary: str = ""
    """Its purpose, for the list of tools."""
    help: str = ""
    """The output of `--help`."""
    call: tuple[ToolCall, ...] = Field((), max_length=MOST_CALLS)


class Change(_Table):
    """A file that must change: its new text from a file beside task.toml, the text itself, or its deletion."""

    path: WorldPath
    file: str = ""
    text: str | None = None
    deleted: bool = False


class Expected(_Table):
    """The required end of a trial."""

    outcome: Annotated[str, AfterValidator(_outcome)]
    answer: str | None = None
    """The only right answer."""
    pattern: Pattern = ""
    """The pattern that the answer, without blanks around it, must fit in full."""
    contains: tuple[str, ...] = ()
    """Texts that the answer must hold, where no letter or digit touches them."""
    lacks: tuple[str, ...] = ()
    """Texts that the answer must not hold."""
    states: str = ""
    """An answer whose values, in any format, the answer must hold too."""
    references: tuple[WorldPath, ...] = ()
    """The paths that must be cited."""
    tolerated: tuple[WorldPath, ...] = ()
    """Paths that may be cited as well."""
    free: tuple[str, ...] = ()
    """Beginnings of paths that may all be cited, such as `/docs/`."""
    change: tuple[Change, ...] = ()
    """The files that must change. No other file may."""


class Question(_Table):
    """A question that `ask` saved: its trials have the calls of `ask` over the task's files, and no tools."""

    write: str = ""
    """The folder that scripts may write; empty for none."""
    earlier: str = ""
    """The conversation that it continues, as JSON."""


class TaskFile(_Table):
    """A whole task.toml."""

    instruction: str = Field(min_length=1)
    trees: tuple[str, ...] = Field(("files",), max_length=20)
    """The folders, seen from task.toml, whose files the trial has; a later one covers an earlier one."""
    rules: WorldPath = "/AGENTS.MD"
    """The document of the workspace's rules, if that file exists."""
    rule_pack: str = Field("", max_length=SHOWN_CHARS, pattern=r"^[\w.:]*$")
    """The rule pack for its trials, which is loaded only if the user names it too."""
    clock: datetime | None = None
    tool: tuple[Tool, ...] = Field((), max_length=50)
    question: Question | None = None
    mcp: dict[str, dict[str, str]] = Field(default_factory=dict, max_length=20)
    """The MCP servers whose tools its trials use, by name: `[mcp.NAME]`. Only the user says how to start them."""
    expected: Expected

    @property
    def now(self) -> datetime | None:
        """The clock of the task's world; a time without a zone is UTC."""
        return self.clock if self.clock is None or self.clock.tzinfo else self.clock.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TaskText:
    """The text of a task.toml, which an aide reads."""

    text: str
    name: str
    """Its name in messages."""
    aide: Aide
    place: str = ""
    """Its folder, relative to the folder of all tasks, with a slash at its end; empty for that folder itself."""

    def inside(self, path: str, location: tuple[str | int, ...]) -> str:
        """Return a path of the task.toml relative to the folder of all tasks. Raises `FolderFault` outside it."""
        found = os.path.normpath(f"{self.place}{path}")
        if path.startswith("/") or "\0" in path or found == ".." or found.startswith("../"):
            raise self.fault(location, f"{path[:200]!r} leads out of the folder")
        return found

    def parsed(self) -> TaskFile:
        """Return the task that the text holds. Raises `FolderFault`."""
        if len(self.text) > MOST_CHARS:
            msg = f"{self.name}: it has {len(self.text)} characters; at most {MOST_CHARS} are allowed"
            raise FolderFault(msg)
        try:
            data, known = self.aide.call(f"{AIDE_MODULE}:read_task", self.text)
        except CallError as error:
            msg = f"{self.name}: it cannot be read: {error.message}"
            raise FolderFault(msg) from None
        if isinstance(data, int):
            msg = f"{self.name}:{data}: {known}"
            raise FolderFault(msg)
        try:
            task = TaskFile.model_validate(data, context=known)
        except ValidationError as error:
            # A misspelt key explains the missing one.
            found = sorted(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
            raise self.fault(tuple(found[0]["loc"]), _told(found[0]), more=len(found) - 1) from None
        if faults := list(_contradictions(task, known)):
            raise self.fault(*faults[0], more=len(faults) - 1)
        return task

    def fault(self, location: tuple[str | int, ...], what: str, *, more: int = 0) -> FolderFault:
        """Return the fault of the value at `location`; the message says that there are `more` faults."""
        key = ".".join(part[:SHOWN_CHARS] for part in location if isinstance(part, str))
        try:
            line = self.aide.call(f"{AIDE_MODULE}:line_of", self.text, list(location))
        except CallError:
            line = 1
        return FolderFault(f"{self.name}:{line}: {key}: {what}{f' (and {more} more)' if more else ''}")


def _told(fault: ErrorDetails) -> str:
    if fault["type"] == "missing":
        return "it is missing"
    if fault["type"] != "extra_forbidden":
        return fault["msg"].removeprefix("Value error, ")
    tables: dict[str, type[_Table]] = {
        "tool": Tool,
        "call": ToolCall,
        "expected": Expected,
        "change": Change,
        "question": Question,
    }
    *above, key = fault["loc"]
    table = next((part for part in reversed(above) if isinstance(part, str)), "")
    return f"there is no such key{did_you_mean(str(key)[:SHOWN_CHARS], tables.get(table, TaskFile).model_fields)}"


def _contradictions(task: TaskFile, groups: dict[str, int]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield location and text of contradictions between values that are valid one by one."""
    expected = task.expected
    if expected.answer is not None and (expected.pattern or expected.contains or expected.lacks):
        yield ("expected", "answer"), "answer is the only right answer: remove pattern, contains and lacks"
    if task.question and task.tool:
        yield ("question",), "a question has the calls of `ask`: remove its tools"
    for at, change in enumerate(expected.change):
        if bool(change.file) + (change.text is not None) + change.deleted != 1:
            yield ("expected", "change", at), "exactly one of file, text and deleted must be given"
    for at, tool in enumerate(task.tool):
        if tool.path in [other.path for other in task.tool[:at]]:
            yield ("tool", at, "path"), f"{tool.path} is defined twice"
        for number, call in enumerate(tool.call):
            place = ("tool", at, "call", number)
            if bool(call.file) != bool(call.changes or call.when):
                yield place, "file and set, or file and when, append or delete, need each other: give both"
            elif call.delete and (call.set or call.append):
                yield place, "a call that deletes its file cannot also set or append"
            elif bool(call.row) != (bool(call.set or call.when) and call.file.lower().endswith((".csv", ".tsv"))):
                yield place, "row goes with set or when on a CSV or TSV file: it selects the row; give both"
            elif call.changes and tool.kind != "changes":
                key = "set" if call.set else "append" if call.append else "delete"
                yield (*place, key), 'a tool that changes files needs kind = "changes"'
            patterns = (call.args,) if isinstance(call.args, str) else call.args
            count = sum(groups.get(pattern, 0) for pattern in patterns)
            written = str((call.prints, call.error, call.shows, call.file, call.row, call.when, call.set, call.append))
            named = [int(number) for number in PLACEHOLDER.findall(written)]
            if any(number > count for number in named):
                yield place, f"{{{max(named)}}} is named, but args has {count} groups"

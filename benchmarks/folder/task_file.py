"""The contents of a `task.toml`: what is asked, which tools there are, and how the trial must end."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from benchmarks.folder.toml_lines import line_of
from controlplane import did_you_mean
from gates.submission import OUTCOMES
from sandbox import normal_path
from sandbox.interface import CallError

TASK_FILE: Final = "task.toml"
MOST_PATTERN_CHARS: Final = 1_000
MOST_CALLS: Final = 1_000
PLACEHOLDER: Final = re.compile(r"\{(\d)\}")
SYNTAX_LINE: Final = re.compile(r"at line (\d+)")


class FolderFault(Exception):
    """Something in a folder of tasks is wrong; the message begins with the file, and the line if there is one."""


def _path(value: str) -> str:
    try:
        normal = normal_path(value)
    except CallError as error:
        raise ValueError(error.message) from None
    if value != normal or value == "/":
        msg = f"{value!r} is no path of the task's world; write it as {normal!r}"
        raise ValueError(msg)
    return value


def _pattern(value: str) -> str:
    if len(value) > MOST_PATTERN_CHARS:
        msg = f"a pattern has at most {MOST_PATTERN_CHARS} characters, not {len(value)}"
        raise ValueError(msg)
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        msg = f"{value!r} is no pattern: {error}"
        raise ValueError(msg) from None
    return value


def _outcome(value: str) -> str:
    if value not in OUTCOMES:
        msg = f"there is no outcome {value!r}{did_you_mean(value, OUTCOMES)}"
        raise ValueError(msg)
    return value


WorldPath = Annotated[str, AfterValidator(_path)]
Pattern = Annotated[str, AfterValidator(_pattern)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Table):
    """One way to call a tool.

    `{1}` in the other values is what the first group of `args` matched; a value that is `{1}` alone becomes a whole
    number if it is written as one.
    """

    args: Pattern = ""
    """The pattern that all arguments, joined by spaces, must fit in full."""
    prints: str = ""
    error: str = ""
    """What goes to stderr."""
    exit_code: int = Field(0, ge=0, le=255)
    shows: str = ""
    """The path of a file whose text goes to stdout, before `prints`."""
    file: str = ""
    """The JSON file that the call is about; `*` may stand for the name of a folder."""
    when: dict[str, Any] = Field(default_factory=dict)
    """The call fits only if the file's fields hold these values; tables are compared key by key."""
    set: dict[str, Any] = Field(default_factory=dict)
    """The fields of that file that it sets; a table is merged into the object that stands there."""


class Tool(_Table):
    """A program of the task's world. The first call that fits is made; without one it fails and does nothing."""

    path: WorldPath
    kind: Literal["reads", "changes"] = "reads"
    summary: str = ""
    """What it does, in the list of tools."""
    help: str = ""
    """What `--help` prints."""
    call: tuple[ToolCall, ...] = Field((), max_length=MOST_CALLS)


class Change(_Table):
    """A file that must change: its new text from a file beside task.toml, the text itself, or that it is gone."""

    path: WorldPath
    file: str = ""
    text: str | None = None
    deleted: bool = False


class Rows(_Table):
    """Rows of a file that are scored in fractions by their weights, and cited as `FILE#row=ID`.

    The score is the share of the right rows' weight that is cited, times the share of the cited weight that is right.
    """

    file: WorldPath
    right: dict[str, Annotated[int, Field(gt=0)]] = Field(min_length=1)
    """The weight of each row that should be cited, such as an amount in cents, by its id."""
    wrong: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    """The weights of the other rows."""


class Expected(_Table):
    """How a trial must end."""

    outcome: Annotated[str, AfterValidator(_outcome)]
    answer: str | None = None
    """The only right answer."""
    pattern: Pattern = ""
    """The pattern that the answer, without blanks around it, must fit in full."""
    contains: tuple[str, ...] = ()
    """What the answer must hold, where no letter or digit touches it."""
    lacks: tuple[str, ...] = ()
    """What it must not hold."""
    references: tuple[WorldPath, ...] = ()
    """The paths that must be cited."""
    tolerated: tuple[WorldPath, ...] = ()
    """Paths that may be cited as well."""
    free: tuple[str, ...] = ()
    """Beginnings of paths that may all be cited, such as `/docs/`."""
    change: tuple[Change, ...] = ()
    """The files that must change. No other file may."""
    rows: Rows | None = None
    """With rows, an answer without a fault scores a fraction."""


class TaskFile(_Table):
    """A whole task.toml."""

    instruction: str = Field(min_length=1)
    trees: tuple[str, ...] = ("files",)
    """The folders, seen from task.toml, whose files the trial has; a later one covers an earlier one."""
    rules: WorldPath = "/AGENTS.MD"
    """The document of the workspace's rules, if there is such a file."""
    clock: datetime | None = None
    tool: tuple[Tool, ...] = Field((), max_length=50)
    expected: Expected

    @property
    def now(self) -> datetime | None:
        """The clock of the task's world; a time without a zone is UTC."""
        return self.clock if self.clock is None or self.clock.tzinfo else self.clock.replace(tzinfo=UTC)


def parse_task(text: str, name: str) -> TaskFile:
    """Return the task that the text of a file called `name` holds. Raises `FolderFault`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = SYNTAX_LINE.search(str(error))
        at = line[1] if line else str(len(text.splitlines()))
        msg = f"{name}:{at}: this is no TOML: {error}"
        raise FolderFault(msg) from None
    try:
        task = TaskFile.model_validate(data)
    except ValidationError as error:
        # A misspelt key explains the missing one.
        found = sorted(error.errors(include_url=False), key=lambda each: each["type"] != "extra_forbidden")
        faults = [(tuple(each["loc"]), _told(each)) for each in found]
        raise FolderFault(_message(name, text, faults)) from None
    faults = list(_contradictions(task))
    if faults:
        raise FolderFault(_message(name, text, faults))
    return task


def fault_at(name: str, text: str, location: tuple[str | int, ...], what: str) -> FolderFault:
    """Return the fault of the value at `location` in the text of a file called `name`."""
    return FolderFault(_message(name, text, [(location, what)]))


def _message(name: str, text: str, faults: list[tuple[tuple[str | int, ...], str]]) -> str:
    location, what = faults[0]
    key = ".".join(str(each) for each in location if isinstance(each, str))
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{name}:{line_of(text, location)}: {key}: {what}{more}"


def _told(fault: ErrorDetails) -> str:
    if fault["type"] == "extra_forbidden":
        return f"there is no such key{did_you_mean(str(fault['loc'][-1]), _keys_at(fault['loc'][:-1]))}"
    if fault["type"] == "missing":
        return "it is missing"
    return fault["msg"].removeprefix("Value error, ")


def _keys_at(location: tuple[str | int, ...]) -> list[str]:
    tables: dict[str, type[_Table]] = {
        "tool": Tool,
        "call": ToolCall,
        "expected": Expected,
        "change": Change,
        "rows": Rows,
    }
    named = [each for each in location if isinstance(each, str)]
    return list(tables.get(named[-1] if named else "", TaskFile).model_fields)


def _contradictions(task: TaskFile) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield location and text of what each value allows, and all of them together do not."""
    expected = task.expected
    if expected.answer is not None and (expected.pattern or expected.contains or expected.lacks):
        yield ("expected", "answer"), "beside answer there is no pattern, contains or lacks: it is the only right one"
    for at, change in enumerate(expected.change):
        if bool(change.file) + (change.text is not None) + change.deleted != 1:
            yield ("expected", "change", at), "exactly one of file, text and deleted says what becomes of the file"
    for at, tool in enumerate(task.tool):
        if tool.path in [each.path for each in task.tool[:at]]:
            yield ("tool", at, "path"), f"{tool.path} is there twice"
        for number, call in enumerate(tool.call):
            if bool(call.file) != bool(call.set or call.when):
                yield ("tool", at, "call", number), "file and set, or file and when, belong together"
            elif call.set and tool.kind != "changes":
                yield ("tool", at, "call", number, "set"), 'a tool that changes files says kind = "changes"'
            groups = re.compile(call.args).groups
            written = str((call.prints, call.error, call.shows, call.file, call.when, call.set))
            named = [int(each) for each in PLACEHOLDER.findall(written)]
            if any(each > groups for each in named):
                yield ("tool", at, "call", number), f"{{{max(named)}}} is named, but args has {groups} groups"

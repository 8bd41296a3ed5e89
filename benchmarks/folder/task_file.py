"""What a task.toml may say: the instruction, the tools, and the required end of a trial.

Each table of the file is a class; its fields are the table's keys. `task_text` reads the file.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, Field

from controlplane.agent.model import Frozen
from controlplane.gates.submission import OUTCOMES
from controlplane.sandbox import normal_path
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.interface import CallError

TASK_FILE: Final = "task.toml"
GRADE_FILE: Final = "grade.py"
"""Grades a task, in the sandbox."""

PatternOrSeveral = TypeVar("PatternOrSeveral", str, str | tuple[str, ...])


def _check_path(value: str) -> str:
    """Return a path of the task's world if it is in its normal form. Raises `ValueError`."""
    try:
        normal = normal_path(value)
    except CallError as error:
        raise ValueError(error.message) from None
    if value != normal or value == "/":
        msg = f"{value!r} is not a path of the task's world; write it as {normal!r}"
        raise ValueError(msg)
    return value


def _check_patterns(value: PatternOrSeveral) -> PatternOrSeveral:
    """Return a pattern, or several, if RE2 takes them. Raises `ValueError`."""
    patterns = (value,) if isinstance(value, str) else value
    for pattern in patterns:
        try:
            compiled_pattern(pattern)
        except CallError as error:
            raise ValueError(error.message) from None
    return value


WorldPath = Annotated[str, AfterValidator(_check_path)]
Pattern = Annotated[str, AfterValidator(_check_patterns)]
Patterns = Annotated[str | tuple[str, ...], AfterValidator(_check_patterns)]


class ToolCall(Frozen):
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

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of `args`: one for all arguments, or one for each."""
        return (self.args,) if isinstance(self.args, str) else self.args


class Tool(Frozen):
    """A program of the task's world. The first call that fits is made; if none fits, it fails and does nothing."""

    path: WorldPath
    kind: Literal["reads", "changes"] = "reads"
    summary: str = ""
    """Its purpose, for the list of tools."""
    help: str = ""
    """The output of `--help`."""
    call: tuple[ToolCall, ...] = Field((), max_length=1_000)


class Change(Frozen):
    """A file that must change: its new text from a file beside task.toml, the text itself, or its deletion."""

    path: WorldPath
    file: str = ""
    text: str | None = None
    deleted: bool = False


class Expected(Frozen):
    """The required end of a trial."""

    outcome: Literal[OUTCOMES]  # type: ignore[valid-type] # they are known when it runs
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
    """The paths that must be cited. Without this key and the next two, citations are not graded."""
    tolerated: tuple[WorldPath, ...] = ()
    """Paths that may be cited as well."""
    free: tuple[str, ...] = ()
    """Beginnings of paths that may all be cited, such as `/docs/`."""
    change: tuple[Change, ...] = ()
    """The files that must change. No other file may."""


class Question(Frozen):
    """A question that `ask` saved: its trials have the calls of `ask` over the task's files, and no tools."""

    write: str = ""
    """The folder that scripts may write; empty for none."""
    earlier: str = ""
    """The conversation that it continues, as JSON."""


class TaskFile(Frozen):
    """A whole task.toml."""

    instruction: str = Field(min_length=1)
    trees: tuple[str, ...] = Field(("files",), max_length=20)
    """The folders, seen from task.toml, whose files the trial has; a later one covers an earlier one."""
    rules: WorldPath = "/AGENTS.MD"
    """The document of the workspace's rules, if that file exists."""
    clock: datetime | None = None
    """The clock of the task's world; a time without a zone is UTC."""
    tool: tuple[Tool, ...] = Field((), max_length=50)
    question: Question | None = None
    mcp: dict[str, dict[str, str]] = Field(default_factory=dict, max_length=20)
    """The MCP servers whose tools its trials use, by name: `[mcp.NAME]`. Only the user says how to start them."""
    expected: Expected | None = None
    """The required end; it may be left to a rubric, or to a `grade.py` beside the file."""
    rubric: str = Field("", max_length=20_000)
    """What a model grades the answer and the changed files by."""


def _keys_of_all_tables() -> list[str]:
    keys = []
    for table in (TaskFile, Tool, ToolCall, Question, Expected, Change):
        keys += list(table.model_fields)
    return keys


KEYS: Final = _keys_of_all_tables()
"""The keys of all tables, for the nearest name in a message."""

"""The file task.toml of a task in a folder: its tables, values and contradictions."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, Field

from controlplane import BenchmarkError
from controlplane.agent.model import Frozen
from controlplane.sandbox import normal_path
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.interface import CallError, error_codes
from controlplane.sandbox.interface.foreign_documents import NotToml, parse_toml
from controlplane.sandbox.interface.outcomes import OutcomeKind

# The checked values of a task.toml: paths of the task's world, and patterns.
#
# A path must be in normal form, `/docs/a.md` and not `docs//a.md`, so that it can be compared
# with the paths of a trial. A pattern must be one that RE2 accepts, which never takes long.

_PatternOrSeveral = TypeVar("_PatternOrSeveral", str, str | tuple[str, ...])
"""The type of a key's value: one pattern, as for `pattern`; or, for `args`, one or a list."""


def _check_path(value: str) -> str:
    """Return a path of the task's world if it is in normal form. Raises `ValueError`."""
    try:
        normal = normal_path(value)
    except CallError as error:
        raise ValueError(error.message) from None
    if value != normal or value == "/":
        msg = f"{value!r} is not a path of the task's world; write it as {normal!r}"
        raise ValueError(msg)
    return value


def _check_patterns(value: _PatternOrSeveral) -> _PatternOrSeveral:
    """Return one or more patterns if RE2 accepts them. Raises `ValueError`."""
    patterns = (value,) if isinstance(value, str) else value
    for pattern in patterns:
        try:
            compiled_pattern(pattern)
        except CallError as error:
            raise ValueError(error.message) from None
    return value


_WorldPath = Annotated[str, AfterValidator(_check_path)]
"""The path of a file in the task's world: `/docs/a.md`."""
Pattern = Annotated[str, AfterValidator(_check_patterns)]
"""A regular expression: `end ([0-9]+)`."""
_Patterns = Annotated[str | tuple[str, ...], AfterValidator(_check_patterns)]
"""A regular expression, or a list of them: `["end", "([0-9]+)"]`."""


# The table `[expected]` of a task.toml: what is right at the end of a trial.
#
#     [expected]
#     outcome = "OUTCOME_OK"
#     states = "Ada"
#     change = [{path = "/loans/0543.json", file = "signed.json"}]
#
# Each class is a table of the file, and its fields are the keys.


class ExpectedChange(Frozen):
    """A file that must change: its text comes from `file` or `text`, or it is deleted.

    Exactly one of `file`, `text` and `deleted` is given.
    """

    path: _WorldPath
    """Its path in the task's world."""
    file: str = ""
    """A file beside task.toml that has the new text."""
    text: str | None = None
    """The new text."""
    deleted: bool = False
    """True if the file must be deleted."""


class Expected(Frozen):
    """The required end of a trial: its answer, citations and changed files.

    For a free answer, `states = "12 chairs"` is the right key: `There are 12.` is right, too.
    Use `answer` or `pattern` if the instruction demands a form, such as a date alone.
    """

    outcome: str | None = None
    """The only right outcome. Without it, any but that of a trial that gave up."""
    answer: str | None = None
    """The only right answer, but for blanks around it."""
    pattern: Pattern = ""
    """The pattern that the answer, without surrounding spaces, must match in full."""
    contains: tuple[str, ...] = ()
    """Texts that the answer must contain as whole words: `12` is not in `120`."""
    lacks: tuple[str, ...] = ()
    """Texts that the answer must not contain."""
    states: str = ""
    """A right answer, such as `12 chairs`. The answer must contain all of its values (dates, numbers,
    ids, names) that the question does not give, in any format. If it has no values, its first word
    counts, if that is yes or no, and its rare words."""
    references: tuple[_WorldPath, ...] = ()
    """Paths that must be cited. If `references`, `tolerated` or `free` is given, any other citation is
    a fault."""
    tolerated: tuple[_WorldPath, ...] = ()
    """Paths of files that may also be cited."""
    free: tuple[str, ...] = ()
    """Folders whose files may also be cited: all paths that begin with `/docs/`."""
    change: tuple[ExpectedChange, ...] = ()
    """The files that must change; JSON files are compared by their values. No other file may change."""


# The tables `[[tool]]` of a task.toml: the programs of the task's world.
#
#     [[tool]]
#     path = "/bin/loans"
#     [[tool.call]]
#     args = 'show ([0-9]+)'
#     shows = "/loans/{1}.json"
#
# Each class is a table of the file, and its fields are the keys.


class FolderToolCall(Frozen):
    """One way to call a tool: the arguments for which it applies, its output, and its changes.

        [[tool.call]]
        args = 'show ([0-9]+)'
        shows = "/loans/{1}.json"

    In all values except `args`, `{1}` stands for the text that the first group of
    `args` matched. A value that is only `{1}` becomes an integer if the text is one.
    """

    args: _Patterns = ""
    """A pattern for all arguments, joined by spaces; or a list with a pattern for each.

    With a list, an argument may contain spaces. Patterns must match in full. Without
    `args`, the call applies if there are no arguments: the empty pattern fits only that.
    """
    prints: str = ""
    """The text for stdout."""
    error: str = ""
    """The text for stderr."""
    exit_code: int = Field(0, ge=0, le=255)
    """The exit code of the call."""
    shows: str = ""
    """The path of a file whose text is printed to stdout, before `prints`."""
    file: str = ""
    """The file of the call: JSON, CSV, TSV, YAML or Markdown. `*` matches any folder's name."""
    row: dict[str, Any] = Field(default_factory=dict)
    """The values that select a row if the file is CSV or TSV: `{id = "B-17"}`."""
    when: dict[str, Any] = Field(default_factory=dict)
    """The values that the file's fields must have for the call to apply.

    Other fields may have any value, also inside a nested table: `{address = {city =
    "Graz"}}`.
    """
    set: dict[str, Any] = Field(default_factory=dict)
    """The fields that the call sets in its file. A table is merged into the existing one."""
    append: str = ""
    """The text that the call appends to its file, which is created if necessary."""
    delete: bool = False
    """True if the call deletes its file."""

    @property
    def changing_key(self) -> str:
        """The first key by which the call changes its file; empty if it changes nothing."""
        if self.set:
            return "set"
        if self.append:
            return "append"
        return "delete" if self.delete else ""

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of `args`: one for all arguments, or one for each."""
        return (self.args,) if isinstance(self.args, str) else self.args


class FolderTool(Frozen):
    """A program of the task's world.

    The first of its calls is made whose `args` match and whose `when` holds. If there is
    none, the program fails.
    """

    path: _WorldPath
    """Where scripts find it: `/bin/renew`."""
    kind: Literal["reads", "changes"] = "reads"
    """Whether its calls may change files."""
    summary: str = ""
    """Its purpose, for the list of tools."""
    help: str = ""
    """The output of `--help`."""
    call: tuple[FolderToolCall, ...] = Field((), max_length=1_000)
    """The ways to call it, in their order: `[[tool.call]]`."""


# The contents of a task.toml: the instruction, the tools, and what is right at the end.
#
#     instruction = "Who has to sign loan 0543?"
#     [expected]
#     outcome = "OUTCOME_OK"
#     states = "Ada"
#
# Each class is a table of the file, and its fields are the keys. A list of tables, such as
# `[[tool]]`, has the name of one of them. `task_text` reads the file.

TASK_FILE: Final = "task.toml"
GRADE_FILE: Final = "grade.py"
"""A file with code that grades the task. It runs in the sandbox."""


class DeclaredOutcome(Frozen):
    """An outcome of the task's own: `[[outcomes]]`."""

    name: str
    """Such as `OUTCOME_LENT`."""
    kind: OutcomeKind
    """By which gates and rules go."""
    sentence: str = ""
    """When it fits, for the prompt."""


class SavedQuestion(Frozen):
    """A question that `ask --save-task` has saved. Scripts have the calls of `ask`, no tools."""

    write: str = ""
    """The folder that scripts may write to; empty for none."""
    earlier: str = ""
    """The conversation that it continues, as JSON."""


class TaskFile(Frozen):
    """The contents of a task.toml."""

    instruction: str = Field(min_length=1)
    """The request."""
    trees: tuple[str, ...] = Field(("files",), max_length=20)
    """The folders, relative to task.toml, whose files the trial has.

    If several have a file with the same path, the last one's is used.
    """
    rules: _WorldPath = "/AGENTS.MD"
    """The document with the workspace's rules, if that file exists."""
    clock: datetime | None = None
    """The time in the task's world. A time without a zone is in UTC."""
    outcomes: tuple[DeclaredOutcome, ...] = Field((), max_length=20)
    """How a trial may end, if not as in the other tasks of the folder."""
    tool: tuple[FolderTool, ...] = Field((), max_length=50)
    """The programs of the task's world: `[[tool]]`."""
    question: SavedQuestion | None = None
    """What a question of `ask` adds, if the task is one."""
    mcp: dict[str, dict[str, str]] = Field(default_factory=dict, max_length=20)
    """The MCP servers whose tools the trials use, by name: `[mcp.NAME]`.

    How to start them is only in the user's configuration.
    """
    expected: Expected | None = None
    """The required end. It may be missing if there is a rubric or a `grade.py`."""
    rubric: str = Field("", max_length=20_000)
    """The criteria by which a model grades the answer and the changed files."""


def _keys_of_all_tables() -> list[str]:
    """Return the keys of all tables that a task.toml may have: `instruction`, `path`, ..."""
    keys = []
    for table in (
        TaskFile,
        FolderTool,
        FolderToolCall,
        SavedQuestion,
        DeclaredOutcome,
        Expected,
        ExpectedChange,
    ):
        keys += list(table.model_fields)
    return keys


KEYS: Final = _keys_of_all_tables()
"""The keys of all tables, used to suggest the nearest name in an error message."""


# Reads a text in TOML as data that JSON can hold, with bounds for hostile texts.
#
# For example, `day = 2027-03-01` is `{"day": "2027-03-01"}`.

_INVALID: Final = error_codes.INVALID_ARGUMENT


def data_of_toml(text: str, name: str) -> Any:
    """Return the data of a text, with dates as ISO texts: `day = 2027-03-01` -> `"2027-03-01"`.

    `name` is the file's name in messages. Raises `BenchmarkError` if the text is not TOML, or
    exceeds a limit.
    """
    try:
        data = parse_toml(text)
        # Converted to JSON and back: dates become texts, and `nan` and `inf`, which
        # JSON does not have, are refused.
        json_text = json.dumps(data, default=_iso_text, allow_nan=False)
        return json.loads(json_text)
    except NotToml as error:
        line = _line_of(error) or len(text.splitlines())
        msg = f"{name}:{line}: this is not TOML: {error}"
        raise BenchmarkError(_INVALID, msg) from None
    except (RecursionError, ValueError) as error:
        msg = f"{name}: this cannot be read: {error}"
        raise BenchmarkError(_INVALID, msg) from None


def _iso_text(moment: date | datetime | time) -> str:
    return moment.isoformat()


def _line_of(error: NotToml) -> int | None:
    """Return the line that an error names: "... (at line 3, column 5)" -> 3; None without one."""
    line = str(error).rpartition("at line ")[2].partition(",")[0]
    return int(line) if line.isdecimal() else None

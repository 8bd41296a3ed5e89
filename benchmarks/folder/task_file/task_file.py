"""The contents of a task.toml: the instruction, the tools, and what is right at the end.

    instruction = "Who has to sign loan 0543?"
    [expected]
    outcome = "OUTCOME_OK"
    states = "Ada"

Each class is a table of the file, and its fields are the keys. A list of tables, such as
`[[tool]]`, has the name of one of them. `task_text` reads the file.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pydantic import Field

from controlplane.agent.model import Frozen
from controlplane.benchmarks.folder.task_file.expected_table import Change, Expected
from controlplane.benchmarks.folder.task_file.task_values import WorldPath
from controlplane.benchmarks.folder.task_file.tool_table import Tool, ToolCall

TASK_FILE: Final = "task.toml"
GRADE_FILE: Final = "grade.py"
"""A file with code that grades the task. It runs in the sandbox."""


class Question(Frozen):
    """A question that `ask --save-task` has saved. Scripts have the calls of `ask`, no tools."""

    write: str = ""
    """The folder that scripts may write to; empty for none."""
    earlier: str = ""
    """The conversation that it continues, as JSON."""


class TaskFile(Frozen):
    """The contents of a task.toml."""

    instruction: str = Field(min_length=1)
    trees: tuple[str, ...] = Field(("files",), max_length=20)
    """The folders, relative to task.toml, whose files the trial has.

    If several have a file with the same path, the last one's is used.
    """
    rules: WorldPath = "/AGENTS.MD"
    """The document with the workspace's rules, if that file exists."""
    clock: datetime | None = None
    """The time in the task's world. A time without a zone is in UTC."""
    tool: tuple[Tool, ...] = Field((), max_length=50)
    question: Question | None = None
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
    for table in (TaskFile, Tool, ToolCall, Question, Expected, Change):
        keys += list(table.model_fields)
    return keys


KEYS: Final = _keys_of_all_tables()
"""The keys of all tables, used to suggest the nearest name in an error message."""

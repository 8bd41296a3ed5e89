"""The tables `[[tool]]` of a task.toml: the programs of the task's world.

    [[tool]]
    path = "/bin/loans"
    [[tool.call]]
    args = 'show ([0-9]+)'
    shows = "/loans/{1}.json"

Each class is a table of the file, and its fields are the keys.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from controlplane.agent.model import Frozen
from controlplane.benchmarks.folder.task_file.task_values import Patterns, WorldPath


class ToolCall(Frozen):
    """One way to call a tool: the arguments for which it applies, its output, and its changes.

        [[tool.call]]
        args = 'show ([0-9]+)'
        shows = "/loans/{1}.json"

    In all values except `args`, `{1}` stands for the text that the first group of
    `args` matched. A value that is only `{1}` becomes an integer if the text is one.
    """

    args: Patterns = ""
    """A pattern for all arguments, joined by spaces; or a list with a pattern for each.

    With a list, an argument may contain spaces. Patterns must match in full. Without
    `args`, the call applies if there are no arguments: the empty pattern fits only that.
    """
    prints: str = ""
    """The text for stdout."""
    error: str = ""
    """The text for stderr."""
    exit_code: int = Field(0, ge=0, le=255)
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
    def changes(self) -> bool:
        """True if the call changes its file."""
        return bool(self.set or self.append or self.delete)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of `args`: one for all arguments, or one for each."""
        return (self.args,) if isinstance(self.args, str) else self.args


class Tool(Frozen):
    """A program of the task's world.

    The first of its calls is made whose `args` match and whose `when` holds. If there is
    none, the program fails.
    """

    path: WorldPath
    kind: Literal["reads", "changes"] = "reads"
    summary: str = ""
    """Its purpose, for the list of tools."""
    help: str = ""
    """The output of `--help`."""
    call: tuple[ToolCall, ...] = Field((), max_length=1_000)

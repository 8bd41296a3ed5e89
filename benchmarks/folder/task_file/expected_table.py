"""The table `[expected]` of a task.toml: what is right at the end of a trial.

    [expected]
    outcome = "OUTCOME_OK"
    states = "Ada"
    change = [{path = "/loans/0543.json", file = "signed.json"}]

Each class is a table of the file, and its fields are the keys.
"""

from __future__ import annotations

from typing import Literal

from controlplane.agent.model import Frozen
from controlplane.benchmarks.folder.task_file.task_values import Pattern, WorldPath
from controlplane.gates.submission import OUTCOMES


class Change(Frozen):
    """A file that must change: its text comes from `file` or `text`, or it is deleted.

    Exactly one of `file`, `text` and `deleted` is given.
    """

    path: WorldPath
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

    outcome: Literal[OUTCOMES]  # type: ignore[valid-type] # The values are known only at run time.
    answer: str | None = None
    """The only right answer."""
    pattern: Pattern = ""
    """The pattern that the answer, without surrounding spaces, must match in full."""
    contains: tuple[str, ...] = ()
    """Texts that the answer must contain as whole words: `12` is not in `120`."""
    lacks: tuple[str, ...] = ()
    """Texts that the answer must not contain."""
    states: str = ""
    """A right answer, such as `12 chairs`. The answer must contain its values, in any format."""
    references: tuple[WorldPath, ...] = ()
    """Paths that must be cited. Without `references`, `tolerated` and `free`, any may be cited."""
    tolerated: tuple[WorldPath, ...] = ()
    """Paths of files that may also be cited."""
    free: tuple[str, ...] = ()
    """Folders whose files may also be cited: all paths that begin with `/docs/`."""
    change: tuple[Change, ...] = ()
    """The files that must change. No other file may change."""

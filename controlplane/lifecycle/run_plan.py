"""The plan of a run that has not begun: its settings, and what it plays.

There are three kinds of new run. An ordinary one plays tasks from the beginning. A *rerun* plays
trials of a recorded run (its *parent*) again. A *fork* continues trials of a recorded run from one
of their steps. `new_run.py` opens what a plan describes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.benchmark import TaskTry
from controlplane.journal.journal_files import journal_path
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.resources.run_spec import RunSpec

if TYPE_CHECKING:
    from controlplane.replay.forking import ForkPoint


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The plan of a run that has not begun."""

    spec: RunSpec
    """The settings, and what else is needed to open the run's resources."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each setting comes from that is not a default: `{"model": "flag"}`."""

    # What to play: the tries, if there are any, and otherwise the tasks
    tasks: tuple[str, ...] = ()
    """Tasks or families; empty for all. The settings `limit` and `repeats` apply to them."""
    tries: tuple[TaskTry, ...] = ()
    """Exact tries: each names a task, the number of its world, and which repetition there it is."""

    # For a rerun, a fork, or the next question of a conversation
    parent: ParentRun | None = None
    """The run whose trials are played again or continued."""
    world: str | None = None
    """The version of the benchmark's worlds in the parent. The benchmark must still have it."""
    fork: ForkPoint | None = None
    """The recorded step from which trials continue; None if they start at the beginning."""

    run_id: str = ""
    """The id that names the journal's file; empty to create one."""

    @property
    def path(self) -> Path:
        """The path of the run's journal. It needs a `run_id`."""
        return journal_path(self.spec.settings.runs_dir, self.run_id)

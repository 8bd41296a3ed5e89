"""Plans runs that play trials of a recorded run again: a rerun or a fork.

A rerun plays tries from the start: `controlplane rerun RUN`. A fork plays one trial as it was
recorded up to a step, and goes on from there with changed settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.agent.evidence import ApproveCall
from controlplane.agent.loop import Prompts
from controlplane.benchmark import TaskTry
from controlplane.configuration.model_settings import Use
from controlplane.configuration.recorded_settings import check_own, settings_here
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_sources import FLAG
from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_path
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.resources.run_solver import RunSpec, recorded_prompts

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal
    from controlplane.mcp.tool_access import ToolAccess
    from controlplane.replay.forking import ForkPoint

# The plan of a run that has not begun: its settings, and what it plays.
#
# There are three kinds of new run. An ordinary one plays tasks from the beginning. A *rerun* plays
# trials of a recorded run (its *parent*) again. A *fork* continues trials of a recorded run from one
# of their steps. `new_run.py` opens what a plan describes.


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


@dataclass(frozen=True, slots=True)
class Consent:
    """What the user allows a run that continues from a journal.

    A journal may be somebody else's. So these things are never taken from it.
    """

    is_trusted: bool = False
    """True if the user accepts a journal that somebody else may have written."""
    tools: ToolAccess | None = None
    """The MCP servers that the user names now."""
    approve: ApproveCall | None = None
    """Asks the user whether to make a call that was stopped. None: nobody can be asked."""


def plan_to_play_again(
    journal: Journal,
    tries: tuple[TaskTry, ...],
    changes: Mapping[str, object],
    consent: Consent,
    fork: ForkPoint | None = None,
) -> RunPlan:
    """Return the plan of a run that plays `tries` of a recorded run again.

    The tries start from the beginning or, with a `fork`, at the step that it names. A
    try is a task in a world of a certain number.

    The plan has the recorded settings, except for `changes`, such as `{"model": "gpt-5"}`, and the
    recorded prompt texts, unless the changes name other files. Raises `UsageError` if a change
    is invalid, if the journal is not the user's own, and for a recorded fork.
    """
    check_own(journal, is_trusted=consent.is_trusted)
    _refuse_journal_of_fork(journal)
    spec = RunSpec(
        _settings_of_new_run(journal, changes),
        rule_sets=journal.opened.rule_sets,
        prompts=_prompts_of_new_run(journal, changes),
        tools=consent.tools,
        approve=consent.approve,
    )
    return RunPlan(
        spec,
        sources=_sources_of_settings(journal, changes),
        tries=tries,
        parent=_parent_of(journal, fork),
        world=journal.opened.versions.world,  # the run is refused if the worlds have changed
        fork=fork,
    )


def _refuse_journal_of_fork(journal: Journal) -> None:
    """Raise `UsageError` if the recorded run is a fork itself.

    Its journal has only the later steps of its trials, so it cannot be played from the start.
    """
    parent = journal.opened.parent
    if parent is not None and parent.how == "fork":
        msg = (
            f"{journal.run} is a fork, whose trials have no start of their own; "
            f"play its parent {parent.run} again"
        )
        raise UsageError(msg)


def _settings_of_new_run(
    journal: Journal, changes: Mapping[str, object]
) -> RunSettings:
    """Return the recorded settings, with the changes. Raises `UsageError` if one is invalid.

    Two settings are never taken over. The new journal is beside the recorded one, wherever that is
    now. And a name belongs to one run, so the new one has none, unless the changes name it.
    """
    recorded = settings_here(journal, changes)
    values = recorded.model_dump()
    values["runs_dir"] = str(journal.path.parent)
    values["name"] = changes.get("name", "")
    return RunSettings.model_validate(values)


def _prompts_of_new_run(
    journal: Journal, changes: Mapping[str, object]
) -> Prompts | None:
    """Return the recorded prompt texts; None if a changed setting names files of other texts."""
    names_of_text_settings = settings_with(Use.RECORDED_TEXT)  # such as `prompt`
    if any(name in changes for name in names_of_text_settings):
        return None
    return recorded_prompts(journal)


def _sources_of_settings(
    journal: Journal, changes: Mapping[str, object]
) -> dict[str, str]:
    """Return where the value of each setting comes from: `{"model": "flag", "seed": "environment"}`.

    It comes from where the recorded run had it, or from an option ("flag") that is given now.
    """
    sources = {setting.name: setting.source for setting in journal.opened.settings}
    # The plan names tries instead of the tasks that the recorded run was started with.
    sources.pop("tasks", None)
    for name in changes:
        sources[name] = FLAG
    return sources


def _parent_of(journal: Journal, fork: ForkPoint | None) -> ParentRun:
    """Return how the new run comes from the recorded one, for the new journal's first line."""
    if fork is None:
        return ParentRun(run=journal.run, how="rerun")
    return ParentRun(
        run=journal.run, how="fork", trial_id=fork.trial.trial_id, step=fork.step
    )

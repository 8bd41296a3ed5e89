"""The plan of a run that has not begun: its settings, and what it plays.

An ordinary run plays tasks from the start. A *rerun* plays tries of a recorded run again, from the
start: `controlplane rerun RUN`. A *fork* plays one trial as it was recorded up to a step, and goes on
from there with changed settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.agent.evidence import ApproveCall
from controlplane.benchmark import TaskTry
from controlplane.configuration.model_settings import Use
from controlplane.configuration.recorded_settings import check_own, settings_here
from controlplane.configuration.run_names import run_argument
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_sources import FLAG
from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_path
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.resources.run_solver import RunSpec, recorded_prompts
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import count_text

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal
    from controlplane.mcp.tool_access import ToolAccess
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
    """Exact tries: each names a task, the number of its world, and which of its repeats it is."""

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
    # The journal of a fork has only the later steps of its trials.
    parent = journal.opened.parent
    if parent is not None and parent.how == "fork":
        msg = (
            f"{journal.run} is a fork, whose trials have no start of their own; "
            f"play its parent {parent.run} again"
        )
        raise UsageError(msg)

    # Two settings are never taken over. The new journal is beside the recorded one, wherever that is
    # now. And a name belongs to one run, so the new one has none, unless the changes name it.
    values = settings_here(journal, changes).model_dump()
    values["runs_dir"] = str(journal.path.parent)
    values["name"] = changes.get("name", "")

    # A changed setting, such as `prompt`, may name files of other texts.
    prompts = None
    if not any(name in changes for name in settings_with(Use.RECORDED_TEXT)):
        prompts = recorded_prompts(journal)

    # The value of a setting comes from where the recorded run had it, or from an option that is
    # given now. The plan names tries instead of the tasks that the run was started with.
    sources = {setting.name: setting.source for setting in journal.opened.settings}
    sources.pop("tasks", None)
    sources |= dict.fromkeys(changes, FLAG)

    new_parent = ParentRun(run=journal.run, how="rerun")
    if fork is not None:
        new_parent = ParentRun(
            run=journal.run, how="fork", trial_id=fork.trial.trial_id, step=fork.step
        )
    spec = RunSpec(
        RunSettings.model_validate(values),
        rule_sets=journal.opened.rule_sets,
        prompts=prompts,
        tools=consent.tools,
        approve=consent.approve,
    )
    return RunPlan(
        spec,
        sources=sources,
        tries=tries,
        parent=new_parent,
        world=journal.opened.versions.world,  # the run is refused if the worlds have changed
        fork=fork,
    )


def rerun_plan(
    journal: Journal,
    changes: Mapping[str, object],
    consent: Consent,
    *,
    names: Sequence[str] = (),
    failed: bool = False,
    below: float | None = None,
) -> RunPlan:
    """Return the plan of a run that plays chosen trials again, in the same worlds.

    They are the trials that any of these conditions chooses; without any, all of them.

    - `names`: trials by their id or their task.
    - `failed`: all trials to which the solver has given no answer.
    - `below`: all trials with a lower score than this; one that is over without a score counts as 0.

    Raises `UsageError` if there are none, or if the task of one is not known.
    """
    from controlplane.run_comparison.comparing import numbered

    chooses_all = not names and not failed and below is None
    named_ids = _ids_of_names(journal, names)
    tries = []
    for trial in numbered(journal.summary):
        score = trial.counted_score
        is_below = below is not None and score is not None and score < below
        is_failed = failed and trial.state != "answered"
        is_named = trial.trial_id in named_ids
        if not (chooses_all or is_named or is_failed or is_below):
            continue
        if not trial.task_id:
            msg = f"the journal of {journal.run} does not name the task of {trial.trial_id}"
            raise UsageError(msg)
        tries.append(TaskTry(*trial.world, trial.repeat))
    if not tries:
        show = invocation("show", run_argument(journal.path), "--all")
        trials = count_text(len(journal.trials), "trial")
        msg = f"the options choose none of the {trials} of {journal.run}; list them with: {show}"
        raise UsageError(msg)
    return plan_to_play_again(journal, tuple(tries), changes, consent)


def _ids_of_names(journal: Journal, names: Sequence[str]) -> set[str]:
    """Return the ids of the trials that are named by their task or their own id."""
    ids: set[str] = set()
    for name in names:
        of_task = [
            trial.trial_id for trial in journal.trials.values() if trial.task_id == name
        ]
        # A task may have several trials.
        ids.update(of_task or [journal.find_trial(name)])
    return ids

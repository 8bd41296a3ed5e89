"""Writes journals for tests of reports, without running anything.

A journal is the record of a run: a file with an event a line. A test describes the run's trials,
as in `journal_of_trials(path, [ReportedTrial("alpha.1", score=0.0)])`, and gets the journal of such
a run.
"""

from collections.abc import Sequence
from pathlib import Path

from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    RunClosed,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Setting,
)
from tests.controlplane.report.reported_trial import ReportedTrial, trial_events
from tests.support.journals.sample_events import VERSIONS, write_journal

BEGAN_MS = 1_790_000_000_000
"""When each run begins: in September 2026, in milliseconds since 1970."""

MODEL_SETTING = Setting(name="model", value="canned", source="flag")
"""The one setting of most runs: `--model canned`."""


def run_events(
    run: str,
    name: str,
    trials: Sequence[ReportedTrial],
    settings: Sequence[Setting] = (MODEL_SETTING,),
) -> list[JournalEvent]:
    """Return the events of a run with these trials, without the events of its end.

    `run` is the run's id and `name` what the user calls it. The trials get ids such as
    "alpha.1-r0" and "beta.1-r1".
    """
    allotted = []
    events_of_trials = []
    for number, trial in enumerate(trials):
        trial_id = f"{trial.task}-r{number}"
        allotted.append(AllottedTrial(trial_id=trial_id, task_id=trial.task))
        events_of_trials += trial_events(trial_id, trial)
    return [
        RunOpened(
            at_ms=BEGAN_MS,
            run=run,
            name=name,
            benchmark="shelf",
            model="canned",
            settings=tuple(settings),
            versions=VERSIONS,
        ),
        RunStarted(at_ms=BEGAN_MS, run_id="r", trials=tuple(allotted)),
        *events_of_trials,
    ]


def journal_of_trials(
    path: Path,
    trials: Sequence[ReportedTrial],
    *,
    name: str = "first",
    settings: Sequence[Setting] = (MODEL_SETTING,),
    closed: bool = True,
) -> Path:
    """Write the journal of a run with these trials and settings, and return its path.

    Unless it is `closed`, the journal ends behind the last trial, as if the run were killed there.
    """
    events = run_events(path.stem, name, trials, settings)
    if closed:
        events += [
            RunSubmitted(
                at_ms=BEGAN_MS + 60_000, forced=False, state="evaluated", score=None
            ),
            RunClosed(at_ms=BEGAN_MS + 61_000, how="finished", exit_code=0),
        ]
    return write_journal(path, events)

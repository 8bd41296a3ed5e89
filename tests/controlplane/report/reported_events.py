"""The events of a run, as a journal has them, without running anything.

    run_events("a", "first", [ReportedTrial("alpha.1", score=0.0)])

returns the opening and the start of the run, and the events of its trial.
"""

from collections.abc import Sequence

from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    RunOpened,
    RunStarted,
    Setting,
)
from controlplane.score_scale import RecordedScale
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.controlplane.report.trial_events import trial_events
from tests.support.journals.sample_events import VERSIONS

BEGAN_MS = 1_790_000_000_000
"""When each run begins: in September 2026, in milliseconds since 1970."""

MODEL_SETTING = Setting(name="model", value="canned", source="flag")
"""The one setting of most runs: `--model canned`."""


def run_events(
    run: str,
    name: str,
    trials: Sequence[ReportedTrial],
    settings: Sequence[Setting] = (MODEL_SETTING,),
    scale: RecordedScale | None = None,
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
        RunStarted(at_ms=BEGAN_MS, run_id="r", trials=tuple(allotted), scale=scale),
        *events_of_trials,
    ]

"""Writes journals for tests of reports, without running anything.

A journal is the record of a run: a file with an event a line. A test describes the run's trials,
as in `journal_of_trials(path, [ReportedTrial("alpha.1", score=0.0)])`, and gets the journal of such
a run.
"""

from collections.abc import Sequence
from pathlib import Path

from controlplane.journal.run_events import RunClosed, RunSubmitted, Setting
from controlplane.score_scale import RecordedScale
from tests.controlplane.report.reported_events import (
    BEGAN_MS,
    MODEL_SETTING,
    run_events,
)
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.journals.sample_events import write_journal


def journal_of_trials(
    path: Path,
    trials: Sequence[ReportedTrial],
    *,
    name: str = "first",
    settings: Sequence[Setting] = (MODEL_SETTING,),
    closed: bool = True,
    scale: RecordedScale | None = None,
) -> Path:
    """Write the journal of a run with these trials and settings, and return its path.

    Unless it is `closed`, the journal ends behind the last trial, as if the run were killed there.
    """
    events = run_events(path.stem, name, trials, settings, scale)
    if closed:
        events += [
            RunSubmitted(
                at_ms=BEGAN_MS + 60_000, forced=False, state="evaluated", score=None
            ),
            RunClosed(at_ms=BEGAN_MS + 61_000, how="finished", exit_code=0),
        ]
    return write_journal(path, events)

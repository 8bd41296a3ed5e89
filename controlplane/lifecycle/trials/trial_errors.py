"""Errors in a trial: what each costs the trial, and whether it pauses the whole run.

An exception in one trial must not end the others, so it becomes the trial's own end: the trial
*fails*, or is *left open* for a resumed run. An error that every other trial would meet as well,
such as an MCP server that does not start, also *pauses* the run, which then starts no more trials.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from controlplane.agent.loop import LeftOpen
from controlplane.agent.model import Abandoned, ModelError
from controlplane.errors import ControlPlaneError, ServerFailed, Unreachable
from controlplane.fault_texts import fault_text
from controlplane.lifecycle.trials.trial_reports import Phase, TrialReports
from controlplane.sandbox import SandboxBroken

_log = logging.getLogger(__name__)


@contextmanager
def errors_contained(phase: Phase, reports: TrialReports) -> Iterator[None]:
    """Turn an exception of the `with` block into an event of this trial.

    A `KeyError` of the benchmark's code -> the trial has failed; the run goes on.
    A tool server that has failed -> the trial is left open, and the run pauses.
    Errors that end the whole run are raised: `ControlPlaneError`, and `KeyboardInterrupt` (Ctrl-C).

    `phase` is `start`, or `end` for everything after the start; a failure names it.
    """
    try:
        yield
    except ServerFailed as error:
        reports.left_open(str(error), pause=Unreachable(str(error)))
    except (ControlPlaneError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - the border of a trial: any error costs only this trial
        _log.debug("the trial %s broke:", reports.trial_id, exc_info=error)
        reports.failed(phase, fault_text(error))


def leave_open_for(
    error: LeftOpen | SandboxBroken | ModelError, reports: TrialReports
) -> None:
    """Leave the trial open for the error that has kept its solver from working to the end.

    If the error would stop other trials, too, the run pauses.
    """
    match error:
        case LeftOpen():
            reports.left_open(str(error) or "interrupted")
        case Abandoned():  # a model error: the trial was told to stop while it waited for a reply
            reports.left_open("interrupted")
        case SandboxBroken():
            text = f"no script can be run here ({error})"
            reports.left_open(text, pause=Unreachable(text))
        case _:
            reports.left_open(f"the model failed: {error}", pause=error)


def leave_ungraded(error: LeftOpen | ModelError, reports: TrialReports) -> None:
    """Leave the trial open for the error that has kept the benchmark from grading its answer."""
    # An error with a text is the fault of a model that the grader asks. Without a text, the
    # user or the budget has stopped the trial.
    reason = "interrupted"
    if str(error):
        reason = f"its grader's model gave no reply: {error}"
    pause = None
    if isinstance(error, ModelError) and error.affects_all:
        pause = error
    reports.left_open(reason, pause=pause)

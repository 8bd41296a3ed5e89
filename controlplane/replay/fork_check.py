"""Checks before a fork that the environment of its trial can be rebuilt."""

from __future__ import annotations

from contextlib import suppress

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import BenchmarkError
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.replay.rebuilding import rebuilt_trial
from controlplane.sandbox.interface import CallError, guarded


def check_can_be_rebuilt(
    trial_id: str, record: TrialRecord, resources: RunResources
) -> None:
    """Make the recorded calls of a trial again, and compare their results.

    Raises `UsageError` if the benchmark cannot rebuild environments, and
    `ReplayDiverged` if a call has another result than recorded.
    """
    if not resources.opened.rebuilds_trials:
        name = resources.spec.settings.benchmark
        msg = (
            f"{name} cannot rebuild a trial's environment, so {trial_id} cannot be forked; "
            "run its task again"
        )
        raise UsageError(msg)
    try:
        with rebuilt_trial(trial_id, record, resources, only_changes=False):
            pass  # Entering the block has started the trial and repeated its calls.
    except ReplayDiverged as error:
        msg = f"the trial {trial_id} cannot be rebuilt as it was: {error}"
        raise ReplayDiverged(msg) from error
    except (BenchmarkError, CallError) as error:
        msg = f"the trial {trial_id} cannot be rebuilt: {error.code}: {error.message}"
        raise UsageError(msg) from error
    finally:
        # `rebuilt_trial` does not end the trial. A trial whose start failed may hold
        # resources, too.
        _release(trial_id, resources)


def _release(trial_id: str, resources: RunResources) -> None:
    """Let the benchmark free a rebuilt trial.

    `release` does that without grading the trial. A benchmark without it ends the trial.
    """
    benchmark = resources.benchmark
    release = getattr(benchmark, "release", benchmark.end_trial)
    # `guarded` turns every error of the benchmark's code into a `CallError`.
    with suppress(BenchmarkError, CallError):
        guarded("release", lambda: release(trial_id))

"""Conducts the runs in which candidates play."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from controlplane.benchmark import TaskTry
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import BudgetExhausted, ControlPlaneError, Interrupted
from controlplane.lifecycle.conducting import RunScreen, conduct
from controlplane.lifecycle.new_run import continued_run
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_plan import RunPlan


class CandidateRuns:
    """Conducts the runs of candidates."""

    def __init__(self, sources: Mapping[str, str], screen: RunScreen) -> None:
        """`sources` says where each setting comes from, for messages about a wrong one."""
        self._sources = sources
        self._screen = screen

    def __call__(
        self, settings: RunSettings, tries: tuple[TaskTry, ...], journal: Path
    ) -> None:
        """Begin or continue a run, and play it to its end.

        Raises `ControlPlaneError` if it does not end.
        """
        plan = RunPlan(
            RunSpec(settings), self._sources, tries=tries, run_id=journal.stem
        )
        with continued_run(plan) as run:
            code = conduct(run, self._screen)
        # `conduct` has reported the run's error, and returns only its exit code. The
        # loop has to end with the same error, which is found by the code.
        reason = run.summary.process.error or f"the run {journal.stem} did not end"
        if code == Interrupted.exit_code:
            raise Interrupted(reason)
        if code == BudgetExhausted.exit_code:
            raise BudgetExhausted(reason)
        if not run.summary.submitted:
            raise ControlPlaneError(reason)
        # If the user interrupts a run while its last trials end, the run is complete, but
        # the loop still has to stop.
        if run.controls.interrupted.is_set():
            raise Interrupted

"""The work of the solver on one trial."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from controlplane.agent.evidence.tape.resuming.repeated_changes import repeat_changes
from controlplane.agent.loop import LeftOpen, TrialSession
from controlplane.agent.model import Abandoned, ModelError, OutOfBudget
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import Trial
from controlplane.errors import ControlPlaneError
from controlplane.fault_texts import fault_text
from controlplane.journal.totals.trial_summary import TRIAL_BROKE
from controlplane.lifecycle.resources.run_sandbox import RunSandbox
from controlplane.sandbox import SandboxBroken
from controlplane.sandbox.interface import CallError, bounds
from controlplane.solver import Solver

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkEnd:
    """The outcome of the solver's work on a trial."""

    no_answer_reason: str = ""
    """The reason for a missing answer; empty if there is an answer."""
    is_out_of_budget: bool = False
    """True if a limit of the trial has ended the work."""


@dataclass(frozen=True, slots=True)
class SolverWork:
    """Lets a solver work on a trial that has started.

    Whatever the solver's own code does wrong costs only its answer: `do` returns the reason.
    """

    solver: Solver
    sandbox: RunSandbox
    """Runs the functions that the benchmark offers to the solver."""

    def do(self, trial: Trial, record: TrialRecord, session: TrialSession) -> WorkEnd:
        """Let the solver work, unless an earlier attempt, as in `record`, has finished the work.

        Raises `LeftOpen` if the trial is left open, and `ModelError` if the model fails
        in a way that affects all trials.
        """
        try:
            with self.sandbox.functions_of(session):
                reason = self._solve_from_record(trial, record, session)
            # A solver that the trial's cost limit has ended returns the limit's reason. Another
            # reason is its own.
            is_out_of_budget = (
                reason != "" and reason == session.budget.cost_limit.reason
            )
            work_end = WorkEnd(reason, is_out_of_budget=is_out_of_budget)
        except OutOfBudget as error:
            work_end = WorkEnd(str(error), is_out_of_budget=True)
        except Abandoned:  # A `ModelError` of a trial that was told to stop.
            raise
        except ModelError as error:
            if error.affects_all:
                raise
            work_end = WorkEnd(f"the model failed: {error}")
        is_answered = session.gated_exit.outlet.is_answered
        if session.budget.refused_by_run and not is_answered:
            # The run has used up its budget. The solver may have caught that error and returned.
            raise LeftOpen(session.budget.refused_by_run)
        return work_end

    def _solve_from_record(
        self, trial: Trial, record: TrialRecord, session: TrialSession
    ) -> str:
        """Run the solver. In a new environment, first make the recorded changes again.

        `record` is what an earlier attempt at the trial did, if it was interrupted.
        Returns the reason for a missing answer, or "" if the solver has answered.
        """
        if trial.is_fresh:
            try:
                repeat_changes(
                    trial.environment, record, repeats_all_calls=trial.repeats_all_calls
                )
            except CallError as error:
                return f"the changes of the interrupted attempt could not be made again: {error}"
        if session.is_over:
            return ""
        return _solve(self.solver, session)


def _solve(solver: Solver, session: TrialSession) -> str:
    """Run the solver. Return the reason for a missing answer, or "" if it has answered.

    An error of the solver's own code becomes such a reason: `the trial broke: KeyError: 'id' (a.py, line 12)`.
    Errors that end more than the solver's work are raised: those of models, of the sandbox and of
    the run, and `LeftOpen`, which leaves the trial to a resumed run.
    """
    try:
        return _checked_reason(solver.solve(session))
    except (
        ControlPlaneError,
        LeftOpen,
        ModelError,
        SandboxBroken,
        KeyboardInterrupt,
    ):
        raise
    except BaseException as error:  # noqa: BLE001 - the border of a trial: the fallback answers
        _log.debug("the trial %s broke:", session.trial_id, exc_info=error)
        reason = f"{TRIAL_BROKE}{fault_text(error)}"
        session.notice(reason)
        return reason


def _checked_reason(reason: object) -> str:
    """Return the result of `solve` as a text: None -> "", "no file has it" -> the same text.

    The text is the reason for a missing answer. Raises `TypeError` for a result of another type:
    a user may have written the solver.
    """
    if reason is None:
        return ""
    if isinstance(reason, str):
        return reason[: bounds.MOST_FAULT_CHARS]
    msg = f"solve returned {reason!r}, not a text that says why there is no answer"
    raise TypeError(msg)

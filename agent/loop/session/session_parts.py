"""The parts of a session, by which a solver (the loop around a model) works on a request.

All that it does is limited, and written to the journal. So it does it only by these parts:

| the solver | part |
|---|---|
| asks the model for the next action | `solver_requests` |
| calls `read("/docs/fees.md")` | `calls` |
| cites `/docs/fees.md` as a source | `citations` |
| hands in its answer, `420 EUR` | `gated_exit` |
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.limits.call_limit import CallLimit
from controlplane.agent.loop.session.citations import Citations
from controlplane.agent.loop.session.completed_steps import CompletedSteps
from controlplane.agent.loop.session.model_requests import ModelRequests
from controlplane.agent.loop.session.reply_log import ReplyLog
from controlplane.agent.loop.session.solver_calls import SolverCalls
from controlplane.agent.loop.session.solver_requests import SolverRequests
from controlplane.agent.loop.session.trial_budget import TrialBudget
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.agent.submission import GateSettings
from controlplane.agent.submission.pre_call_rule import is_pre_call_rule_on


class SessionParts:
    """The parts of one trial's session, which limit and write down what its solver does."""

    def __init__(
        self,
        trial: TrialContext,
        recorder: Recorder,
        gates: GateSettings | None = None,
        *,
        stop: threading.Event | None = None,
        run_budget: RunBudget | None = None,
        clock: TrialClock | None = None,
    ) -> None:
        """`gates` judge the answers, by default all of them. `run_budget` limits the whole run."""
        gates = gates or GateSettings()
        run_budget = run_budget or RunBudget()

        self.trial = trial
        self.clock = clock or TrialClock()
        self.stop = stop or threading.Event()
        """Set when the trial should stop after its current step."""
        self.interrupt: Callable[[str], None] = lambda reason: None
        """Ends the running script for a reason, such as `the client left`. Used by any thread.
        It does nothing until a sandbox, the process that runs scripts, sets it."""

        self.recorder = recorder
        """Makes calls, writes the journal, and learns from results what the trial has read."""
        # Calls may use values of the request, such as an account: the user has written them.
        recorder.call_origins.add_request(trial.instruction)
        # Words of the request are not the script's own, even if it passes them to a call.
        recorder.evidence_log.add_given_text(trial.instruction)
        # The environment may check calls before they are sent, unless the user has switched it off.
        recorder.checks.environment_check.is_on = is_pre_call_rule_on(
            recorder.tool_schema.pre_call_check, gates
        )

        gated_exit = GatedExit(recorder, trial.instruction, gates, trial.now_text)
        self.gated_exit = gated_exit
        """Has the gates judge an answer, and sends it if they accept it."""
        # An earlier attempt at the trial may have paid for replies already.
        paid_replies = recorder.tape.record.paid_replies
        self.budget = TrialBudget(trial, run_budget.spending, self.stop, paid_replies)
        self.replies = ReplyLog(recorder, self.budget)
        """Writes the replies of models, and notices for the user."""
        self.requests = ModelRequests(trial, recorder, self.budget, self.replies)
        """Asks models, for the solver and for others, and writes both sides."""
        self.solver_requests = SolverRequests(recorder, self.clock, self.requests)
        """Asks models for the solver, or repeats a recorded reply."""

        # All that a solver does belongs to a step. A completed step counts towards these limits.
        call_limit = CallLimit(trial.max_calls)
        limits = (gated_exit.limit, call_limit, self.budget.cost_limit)
        self.completed_steps = CompletedSteps(self.clock, limits)
        self.steps = TrialSteps(recorder, self.clock, self.completed_steps)
        self.calls = SolverCalls(
            recorder, self.steps, call_limit, gated_exit.rules, gated_exit.outlet
        )
        self.citations = Citations(recorder, self.steps)

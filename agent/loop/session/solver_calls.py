"""The calls of a trial's solver to its environment: checked, limited in number, and recorded.

For example, a script calls `renew(loan="l-7")`. The call may change something, so it is
checked whether the user wants that. Then it is made, if the trial has calls left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.sending.refused_call import refused_call
from controlplane.agent.gated_exit.answer_outlet import AnswerOutlet
from controlplane.agent.gated_exit.workspace_rules import WorkspaceRules
from controlplane.agent.limits.call_limit import CallLimit
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.sandbox.interface import Plain, error_codes


@dataclass(frozen=True, slots=True)
class SolverCalls:
    """Makes the calls of one trial, such as those of a script: `harness.read("/docs/a.md")`."""

    recorder: Recorder
    """Checks, makes and records the calls."""
    steps: TrialSteps
    """Begins a step if none is open: each call belongs to a step, one turn of the solver."""
    limit: CallLimit
    """How many calls the trial may make."""
    rules: WorkspaceRules
    """Learns what the workspace's rules are, from the call that reads them."""
    outlet: AnswerOutlet
    """Learns from results whether the environment has ended the trial."""

    def make(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_script: bool = False,
        in_verify: bool = False,
    ) -> dict[str, Plain]:
        """Make a call and return its result as the environment sends it. Raises `CallError`.

        `in_script` is true if a script of the model makes the call; other solvers make theirs
        without a script. `in_verify` is true as well if the script's function `verify` makes it:
        its check of the answer, which may only read.
        """
        self.steps.begin()
        recorder = self.recorder
        origins: dict[str, str] = {}
        if recorder.tool_schema.may_change(operation, arguments):
            # This raises `CallError` if the call is not allowed. It returns, for the journal, where
            # arguments come from: `{"loan": "asked"}` if the user's request has the loan.
            origins = recorder.checks.check_change(
                operation, arguments, in_verify=in_verify, in_script=in_script
            )

        refusal = self.limit.refusal(recorder.current_step)
        if refusal:
            # This raises `CallError`, unless the trial repeats its record, in which the limit was
            # higher and the call was made. Then this returns the recorded result.
            code = error_codes.RESOURCE_EXHAUSTED
            refused = refused_call(
                operation, arguments, code, refusal, in_verify=in_verify
            )
            result = recorder.calls.sender.refuse_unless_recorded(refused)
        else:
            result = recorder.calls.make(
                operation, arguments, in_verify=in_verify, origins=origins
            )
        self.rules.learn_call(operation, arguments, result)
        self.outlet.learn_call(operation, result)
        return result

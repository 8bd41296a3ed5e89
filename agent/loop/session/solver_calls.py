"""The calls of a trial's solver to its environment: checked, limited in number, and recorded.

For example, a script calls `renew(loan="l-7")`. The call may change something, so it is
checked whether the user wants that. Then it is made, if the trial has calls left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.limits.call_limit import CallLimit
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.sandbox.interface import Plain, error_codes


@dataclass(frozen=True, slots=True)
class SolverCalls:
    """Makes the calls of one trial, such as those of a script: `harness.read("/docs/a.md")`."""

    recorder: Recorder
    """Checks, makes and records the calls."""
    steps: TrialSteps
    """Begins a step if none is open, because each call belongs to a step."""
    gated_exit: GatedExit
    """Learns from results what the workspace's rules are, and that the trial has ended."""
    limit: CallLimit
    """How many calls the trial may make."""

    def make(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_script: bool = False,
        in_verify: bool = False,
    ) -> dict[str, Plain]:
        """Make a call and return its result as the environment sends it. Raises `CallError`.

        `in_script` is true for each call of a script. `in_verify` is true as well if the
        script's function `verify` makes it: its check of the answer, which may only read.
        """
        self.steps.begin()
        recorder = self.recorder

        # 1. A call that may change something is checked. This raises `CallError` if the call is
        #    not allowed. For the journal, the check returns where each argument comes from:
        #    `{"loan": "asked"}` if the user's request has the loan.
        origins: dict[str, str] = {}
        if recorder.tool_schema.may_change(operation, arguments):
            origins = recorder.checks.check_change(
                operation, arguments, in_verify=in_verify, in_script=in_script
            )

        # 2. The call is made. If the trial has no calls left, it is refused, which raises
        #    `CallError`. An exception: a resumed trial repeats what it did before its process
        #    was killed. If its limit was higher then, the call was made, and that result counts.
        refusal = self.limit.refusal(recorder.current_step)
        if refusal:
            code = error_codes.RESOURCE_EXHAUSTED
            result = recorder.calls.refused_calls.refuse(
                operation, arguments, code, refusal, in_verify=in_verify
            )
        else:
            result = recorder.calls.make(
                operation, arguments, in_verify=in_verify, origins=origins
            )

        # 3. What judges the answer later, the gated exit, learns from the result. It may be the
        #    text of the workspace's rules, or say that the environment has ended the trial.
        self.gated_exit.rules.learn_call(operation, arguments, result)
        self.gated_exit.outlet.learn_call(operation, result)
        return result

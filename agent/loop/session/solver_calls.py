"""The calls of a trial's solver to its environment: checked, limited in number, and recorded.

For example, a script calls `renew(loan="l-7")`. The call may change something, so it is
checked whether the user wants that. Then it is made, if the trial has calls left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.limits.call_limit import CallLimit
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.sandbox.interface import Plain, error_codes, parsed_result


class SolverCalls:
    """Makes the calls of one trial, such as those of a script: `harness.read("/docs/a.md")`.

    Each belongs to a step, and begins one if none is open. `make` parses the values in its
    result. `make_raw` does not: it serves scripts, whose own process parses them.
    """

    def __init__(
        self,
        recorder: Recorder,
        steps: TrialSteps,
        gated_exit: GatedExit,
        limit: CallLimit,
        *,
        has_pre_call_check: bool,
    ) -> None:
        self.recorder = recorder
        """Checks, makes and records the calls."""
        self.steps = steps
        """Begins a step if none is open."""
        self.gated_exit = gated_exit
        """Learns from results what the workspace's rules are, and that the trial has ended."""
        self.tool_schema = recorder.tool_schema
        """The environment's declaration."""
        self.limit = limit
        """How many calls the trial may make."""
        self.has_pre_call_check = has_pre_call_check
        """True if the environment checks each changing call before it is sent."""

    def make(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Any]:
        """Make a call and return its result with parsed values, such as times.

        Raises `CallError` if the call fails or is not allowed.
        """
        result = self.make_raw(operation, arguments)
        declared = self.tool_schema.operation(operation)
        if declared is None:
            return result
        parsed: dict[str, Any] = parsed_result(declared, result)
        return parsed

    def make_raw(
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
        if self.tool_schema.may_change(operation, arguments):
            origins = recorder.checks.check_change(
                operation,
                arguments,
                has_pre_call_check=self.has_pre_call_check,
                in_verify=in_verify,
                in_script=in_script,
            )

        # 2. The call is made. If the trial has no calls left, it is refused, which raises
        #    `CallError`, or returns what an earlier attempt with a higher limit has recorded.
        refusal = self.limit.refusal(recorder.current_step)
        if refusal:
            result = recorder.calls.refuse(
                operation,
                arguments,
                error_codes.RESOURCE_EXHAUSTED,
                refusal,
                in_verify=in_verify,
            )
        else:
            result = recorder.calls.make(
                operation, arguments, in_verify=in_verify, origins=origins
            )

        # 3. The result may be the text of the workspace's rules, by which answers are judged,
        #    or say that the environment has ended the trial.
        self.gated_exit.learn_call(operation, arguments, result)
        return result

    def repeat(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> None:
        """Make a recorded call again for a replay, without checks and limits.

        Raises `CallError`.
        """
        self.steps.begin()
        result = self.recorder.calls.make(operation, arguments, in_verify=in_verify)
        self.gated_exit.outlet.close_if_environment_ended(operation, result)

"""The calls of a trial's solver to its environment: checked, recorded, and limited in number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.limits.call_limit import CallLimit
from controlplane.agent.loop.session.limited_calls import LimitedCalls
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.sandbox.interface import Plain, parsed_result


class SolverCalls:
    """Makes the calls of one trial. Each belongs to a step, and begins one if none is open."""

    def __init__(
        self,
        recorder: Recorder,
        steps: TrialSteps,
        gated_exit: GatedExit,
        limit: CallLimit,
    ) -> None:
        self.recorder = recorder
        self.steps = steps
        self.exit = gated_exit
        """Checks answers, and learns from results what the checks need."""
        self.tool_schema = recorder.tool_schema
        """The environment's declaration."""
        self.limit = limit
        self.limited_calls = LimitedCalls(recorder, limit)
        settings = gated_exit.judge.settings
        self.has_pre_call_check = settings.has_pre_call_check(recorder.tool_schema)
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
        origins = {}
        if self.tool_schema.may_change(operation, arguments):
            origins = self.recorder.checks.check_change(
                operation,
                arguments,
                has_pre_call_check=self.has_pre_call_check,
                in_verify=in_verify,
                in_script=in_script,
            )
        result = self.limited_calls.make(
            operation, arguments, in_verify=in_verify, origins=origins
        )
        self._take_result(operation, arguments, result)
        return result

    def repeat(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> None:
        """Make a recorded call again for a replay, without checks and limits.

        Raises `CallError`.
        """
        self.steps.begin()
        result = self.recorder.calls.make(operation, arguments, in_verify=in_verify)
        self.exit.outlet.close_if_environment_ended(operation, result)

    def _take_result(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Learn from a result what the gates need: the rules, and whether the trial has ended."""
        declared = self.tool_schema.operation(operation)
        if declared is not None:
            self.exit.rules.take_result(declared, arguments, result)
        self.exit.outlet.close_if_environment_ended(operation, result)

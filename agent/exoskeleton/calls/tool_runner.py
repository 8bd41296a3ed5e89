"""Makes the calls of a model's reply, one after the other.

| call | what is done |
|---|---|
| `read(path="/docs/a.md")`, an operation of the environment | the call is made |
| `report_completion(message="12 loans", ...)` | the answer is submitted |
| any call after that | it is refused: the completion ends the step |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.exoskeleton.answer.assembly import Assembly
from controlplane.agent.exoskeleton.calls.call_outcome import CallOutcome, refused
from controlplane.agent.exoskeleton.calls.completion_call import complete
from controlplane.agent.exoskeleton.calls.operation_calls import OperationCalls
from controlplane.agent.exoskeleton.tools.completion_tool import COMPLETION
from controlplane.agent.model import Tool, ToolCall

MAX_CALLS: Final = 32
"""Max calls of one reply."""


@dataclass(frozen=True, slots=True)
class ToolRunner:
    """Makes the calls of one trial's model."""

    operation_calls: OperationCalls
    assembly: Assembly
    """Assembles the answer from a completion."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that the model may call."""
        return self.operation_calls.tools

    def run(self, calls: Sequence[ToolCall]) -> list[CallOutcome]:
        """Make the calls of one reply in order, and return an outcome for each."""
        outcomes: list[CallOutcome] = []
        is_completed = False
        for number, call in enumerate(calls):
            if is_completed:
                reason = "not run: it stands behind a completion, which ends the step"
                outcome = refused(call, reason)
            elif number >= MAX_CALLS:
                reason = f"not run: a reply makes at most {MAX_CALLS} calls"
                outcome = refused(call, reason)
            elif call.name == COMPLETION:
                is_completed = True
                outcome = complete(self.assembly, call)
            else:
                outcome = self.operation_calls.make(call)
            outcomes.append(outcome)
        return outcomes

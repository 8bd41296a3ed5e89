"""The turns of a stand-in for the main model, which knows the right calls for one task of the shop.

For "How many lamps are in Bergen?", with 3 turns:

turn 0    it calls the function `stock_at`
turn 1    it reads files that the function's result cites
turn 2    it calls `report_completion` with the function's value, "4", as message
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from controlplane.agent.model import ModelError, ModelRequest, ToolCall
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.completions import completion
from tests.support.shop.model_messages import (
    count_of_replies,
    from_first_user_message,
    function_results,
    text_of,
)
from tests.support.shop.turn_calls import function_calls, reading_calls


@dataclass
class SolvingTurns:
    """What the main model calls in each of its turns."""

    right_calls: Sequence[TrueCall]
    """The calls of functions for the task."""
    family: str
    """The kind of the task, such as `stock-count`."""
    fault: str
    """What is wrong with the completion, one of `FAULTS` in `model_faults.py`; "" for nothing."""
    number: int
    """How many turns there are. The first calls functions, the last completes, the others read."""
    requests: list[str] = field(default_factory=list)
    """The requests so far, tools included, each as one text."""

    def next_calls(self, request: ModelRequest) -> tuple[ToolCall, ...]:
        """Return the calls of the turn that a request asks for.

        The request has all earlier replies, so that their count is the number of the turn. Raises
        `ModelError` after the last turn.
        """
        messages = request.messages
        trial_messages = from_first_user_message(messages)
        turn = count_of_replies(trial_messages)
        if turn >= self.number:
            raise ModelError(f"there is no turn {turn}", retryable=False)

        self.requests.append(text_of(messages, request.tools))
        if turn == 0:
            first_calls = function_calls(self.right_calls, request.tools)
            # If no function serves the task, turn 0 reads nothing, or completes if it is the last.
            if first_calls:
                return first_calls

        results = function_results(trial_messages)
        if turn < self.number - 1:
            return reading_calls(results, turn, messages)
        return (completion(self.family, results, messages, self.fault),)

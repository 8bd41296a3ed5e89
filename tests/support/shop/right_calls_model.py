"""A stand-in for the language model, which knows the right calls for one task of the shop.

For "How many lamps are in Bergen?", with 3 turns:

1. in the role `classify` it replies `{"checkout": false, ...}`, as the request buys nothing
2. in the role `solve`, turn 0, it calls the function `stock_at`
3. turn 1: it reads files that the function's result cites
4. turn 2: it calls `report_completion` with the function's value, "4", as message
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from controlplane.agent.model import Model, ModelError, ModelRequest, Reply, ToolCall
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.completions import completion
from tests.support.shop.model_faults import formatter_reply
from tests.support.shop.model_messages import (
    count_of_replies,
    from_first_user_message,
    function_results,
    text_of,
)
from tests.support.shop.turn_calls import function_calls, reading_calls


@dataclass
class RightCallsModel(Model):
    """A model that makes the right calls for one task; `play_shop_trial` gives it to a solver."""

    calls: Sequence[TrueCall]
    """The calls of functions for the task."""
    classifier_reply: str
    """What it replies in the role `classify`; empty if it is to fail there."""
    family: str = ""
    """The kind of the task, such as `stock-count`."""
    main_model_fails: bool = False
    """True if it is to fail in the role `solve`. Then the solver answers only what its own checks, which
    come before this role, can answer."""
    fault: str = ""
    """What is wrong with its completions, one of `FAULTS` in `model_faults.py`; "" for nothing."""
    turns: int = 2
    """How many turns `solve` takes: one calls functions, the last completes, the others read."""
    requests: list[str] = field(default_factory=list)
    """The requests in the role `solve`, tools included, each as one text."""
    name: str = "finding"
    """What a journal calls the model."""

    def reply_to(self, request: ModelRequest) -> Reply:
        """Reply in the role that the request names. Raises `ModelError` if the role is to fail."""
        role = request.role
        if role == "classify" and self.classifier_reply:
            return Reply(text=self.classifier_reply)
        # The role `format` mends the form of an answer's message. Without a fault nothing is to be
        # mended: the role fails below, and the solver keeps the message.
        if role == "format" and self.fault:
            return Reply(text=formatter_reply(request.messages[-1]["content"]))
        if role == "solve" and not self.main_model_fails:
            return Reply(text="", tool_calls=self._calls_of_turn(request))
        raise ModelError(f"nobody plays {role}", retryable=False)

    def _calls_of_turn(self, request: ModelRequest) -> tuple[ToolCall, ...]:
        """Return the calls of the next turn in the role `solve`.

        The request has all earlier replies, so that their count is the number of the turn. Raises
        `ModelError` after the last turn.
        """
        messages = request.messages
        trial_messages = from_first_user_message(messages)
        turn = count_of_replies(trial_messages)
        if turn >= self.turns:
            raise ModelError(f"there is no turn {turn}", retryable=False)

        self.requests.append(text_of(messages, request.tools))
        if turn == 0:
            first_calls = function_calls(self.calls, request.tools)
            # If no function serves the task, turn 0 reads nothing, or completes if it is the last.
            if first_calls:
                return first_calls

        results = function_results(trial_messages)
        if turn < self.turns - 1:  # Read files that the results or the messages name.
            return reading_calls(results, turn, messages)
        return (completion(self.family, results, messages, self.fault),)

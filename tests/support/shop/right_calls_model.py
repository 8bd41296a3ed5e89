"""A stand-in for the language model, which knows the right calls for one task of the shop.

For "How many lamps are in Bergen?":

1. in the role `classify` it replies `{"checkout": false, ...}`, as the request buys nothing
2. in the role `solve` it calls functions, and at last `report_completion` with "4" as message
3. in the role `format` it mends the form of this message
"""

from dataclasses import dataclass

from controlplane.agent.model import Model, ModelError, ModelRequest, Reply
from tests.support.shop.model_faults import formatter_reply
from tests.support.shop.solving_turns import SolvingTurns


@dataclass
class RightCallsModel(Model):
    """A model that makes the right calls for one task; `play_shop_trial` gives it to a solver."""

    turns: SolvingTurns
    """What it calls in the role `solve`."""
    classifier_reply: str
    """What it replies in the role `classify`; empty if it is to fail there."""
    main_model_fails: bool = False
    """True if it is to fail in the role `solve`. Then the solver answers only what its own checks, which
    come before this role, can answer."""
    name: str = "finding"
    """What a journal calls the model."""

    def reply_to(self, request: ModelRequest) -> Reply:
        """Reply in the role that the request names. Raises `ModelError` if the role is to fail."""
        role = request.role
        if role == "classify" and self.classifier_reply:
            return Reply(text=self.classifier_reply)
        if role == "solve" and not self.main_model_fails:
            return Reply(text="", tool_calls=self.turns.next_calls(request))
        # The solver keeps a message if the role `format` fails. Only a faulty one has to be mended.
        if role == "format" and self.turns.fault:
            return Reply(text=formatter_reply(request.messages[-1]["content"]))
        raise ModelError(f"nobody plays {role}", retryable=False)

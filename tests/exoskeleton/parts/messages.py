"""Messages of answers, which rules want in a fixed form: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.
If rules alone cannot put a message into the form, a model, the *formatter*, is asked.

    {"part": "message_guard",
     "input": {"outcome": "OK", "message": "Yes this is allowed",
               "rules": "A yes/no answer is `TRUE(1)` or `FALSE(0)`, exactly.",
               "formatter_says": "TRUE(1)"},
     "expect": {"message": "TRUE(1)", "model_asked": True}}
"""

from controlplane.benchmarks.shop.answering import formatted_message
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.outcomes import OUTCOMES


class ScriptedFormatter:
    """Stands in for the model that puts messages into the form of the rules."""

    def __init__(self, reply: str, *, fails: bool) -> None:
        self.reply = reply
        self.fails = fails
        self.is_asked = False

    def __call__(self) -> str:
        self.is_asked = True
        if self.fails:
            raise OSError
        return self.reply


@answers_part("message_guard")
def guard_message(
    outcome: str,
    message: str,
    rules: str = "",
    formatter_says: str = "",
    formatter_fails: bool = False,
) -> Output:
    """Put a message into the form of the rules, and tell whether the formatter had to be asked.

    `formatter_says` is the formatter's reply, unless `formatter_fails`.
    """
    formatter = ScriptedFormatter(formatter_says, fails=formatter_fails)
    formatted = formatted_message(OUTCOMES.get(outcome, ""), message, rules, formatter)
    return {"message": formatted, "model_asked": formatter.is_asked}

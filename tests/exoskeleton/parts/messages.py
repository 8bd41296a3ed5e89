"""Answers to recorded cases about the message of an answer, which rules want in a fixed form.

    message_guard   "Yes this is allowed", under the rule "Yes is `TRUE(1)`" -> "TRUE(1)"

If rules alone cannot do it, a model, the *formatter*, is asked.

A case is a recorded input of another solver with its output. `@answers_part` marks the function that
answers the cases of one part: it gets the input by its keys, and returns this project's output.
"""

from controlplane.benchmarks.shop.answering.answer_forms import formatted_message
from tests.exoskeleton.parts.outcomes import OUTCOMES
from tests.exoskeleton.recorded_cases import Output, answers_part


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

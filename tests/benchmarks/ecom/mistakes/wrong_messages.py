"""Wrong messages of answers to the shop's tasks, which the grader must mark down.

    wrong_messages(truth)  # {"a wrong value": ...}, which says "22" where the right message is "12"

The truth of a task says what the right answer is. A mistake is a solution that is wrong in one respect:
a function that gets a client for the task's shop and the truth, and returns its answer.
"""

from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Truth
from tests.benchmarks.ecom.solutions.wrong_solutions import Mistakes, right_except

EMPTY_PHRASES: Final = ("It is so.", "Not done.", "I refuse.", ".")
"""Messages without any of the facts that a freely worded message must contain."""


def wrong_messages(truth: Truth) -> Mistakes:
    """Return the mistakes that do all the right work, but say something else.

    If `12` is the only right message: `The answer is 12, I think.` and `22`. If the message is
    worded freely, but has to contain facts, such as the id of a basket: phrases without any.
    """
    if truth.is_exact:
        in_a_sentence = f"The answer is {truth.message}, I think."
        wrong_value = with_another_value(truth.message)
        return {
            "words around it": right_except(message=in_a_sentence),
            "a wrong value": right_except(message=wrong_value),
        }

    demands_facts = (
        truth.required_words or truth.required_statements or truth.required_percent
    )
    if demands_facts:
        return {phrase: right_except(message=phrase) for phrase in EMPTY_PHRASES}
    return {}


def with_another_value(message: str) -> str:
    """Return a message with its first digit counted on: `12 tents` -> `22 tents`.

    A message without a digit gets a "not" in front: `yes` -> `not yes`.
    """
    for index, letter in enumerate(message):
        if letter.isdigit():
            next_digit = str((int(letter) + 1) % 10)
            return message[:index] + next_digit + message[index + 1 :]
    return f"not {message}"

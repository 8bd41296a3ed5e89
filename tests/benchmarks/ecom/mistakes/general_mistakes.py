"""Mistakes that are possible in every family of the shop's tasks: wrong outcomes, citations and messages.

A task is a request, such as "Check out basket-0012", of a family: a kind of requests. Its truth says
what the right answer is. A mistake is a solution that is wrong in one respect, under a name:

    mistakes_of_every_family(truth)  # {"another outcome": ..., "an unrelated record": ...}
"""

from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import INTERNAL, OK, UNSUPPORTED
from tests.benchmarks.ecom.solutions.careless_solutions import (
    cites_unrelated_record,
    claims_changes_without_making_them,
    leaves_out_first_citation,
    writes_needless_file,
)
from tests.benchmarks.ecom.solutions.reference_solutions import Solution
from tests.benchmarks.ecom.solutions.wrong_solutions import right_except

Mistakes = dict[str, Solution]
"""Wrong solutions by what is wrong with them: `{"two units": adds_two_units}`.

A solution gets a client for the task's shop and the truth, and returns its answer.
"""


def mistakes_of_every_family(truth: Truth) -> Mistakes:
    """Return the mistakes that depend only on what kind of answer the truth demands."""
    wrong_outcome = UNSUPPORTED if truth.outcome == OK else OK
    mistakes: Mistakes = {
        "another outcome": right_except(outcome=wrong_outcome),
        "giving up": right_except(outcome=INTERNAL),
        "an unrelated record": cites_unrelated_record,
        "one change too many": writes_needless_file,
    }
    if truth.changes:
        mistakes["a change claimed but not made"] = claims_changes_without_making_them
    if truth.must_cite or truth.must_cite_pages:
        mistakes["a missing reference"] = leaves_out_first_citation
    mistakes.update(wrong_messages(truth))
    return mistakes


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

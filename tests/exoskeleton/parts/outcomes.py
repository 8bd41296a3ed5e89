"""Outcomes and messages of answers in the words of recorded cases, where `OUTCOME_OK` is `OK`.

    OUTCOMES["CLARIFY"]             # "OUTCOME_NONE_CLARIFICATION"
    changed_message("No.", "No.")   # {"message_changes": False, "message": "No."}

A case was recorded from another solver for the shop, whose words for outcomes are shorter.
"""

from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.exoskeleton.answering_functions import Output

OUTCOMES = {
    "OK": OK,
    "DENIED": DENIED,
    "CLARIFY": CLARIFICATION,
    "UNSUPPORTED": UNSUPPORTED,
}
"""This project's outcome for each word of the cases."""

WORDS_BY_OUTCOME = {outcome: word for word, outcome in OUTCOMES.items()}
"""The word of the cases for each outcome of this project."""


def changed_message(old: str, new: str) -> Output:
    """Return a new message, and whether it differs from the old one: how it is worded is free."""
    return {"message_changes": new != old, "message": new}

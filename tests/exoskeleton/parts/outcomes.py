"""Answers in the words of recorded cases, whose names of outcomes are shorter than this project's.

    answer = answer_of("CLARIFY", "Which card?")
    answer.outcome                                # "OUTCOME_NONE_CLARIFICATION"
    output_of(answer, old_message="Which one?")
    # {"outcome": "CLARIFY", "message": "Which card?", "message_changes": True}

A case was recorded from another solver for the shop.
"""

from collections.abc import Sequence

from controlplane.agent.exoskeleton import Completion
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.exoskeleton.answering_functions import Output

OUTCOMES = {
    "OK": OK,
    "DENIED": DENIED,
    "CLARIFY": CLARIFICATION,
    "UNSUPPORTED": UNSUPPORTED,
}
"""This project's outcome for each word of the cases."""


def answer_of(
    word: str,
    message: str,
    notes: Sequence[str] = (),
    documents: Sequence[str] = (),
    records: Sequence[str] = (),
) -> Completion:
    """Return the answer of a case, with this project's outcome for its word. Unknown words stay.

    `documents` and `records` are the paths of the files that it cites.
    """
    return Completion.model_validate(
        {
            "outcome": OUTCOMES.get(word, word),
            "message": message,
            "notes": "\n".join(notes),
            "documents": documents,
            "records": records,
        }
    )


def output_of(answer: Completion, old_message: str) -> Output:
    """Return an answer in the words of the cases, and whether its message was changed."""
    words = {outcome: word for word, outcome in OUTCOMES.items()}
    return {
        **changed_message(old_message, answer.message),
        "outcome": words.get(answer.outcome, answer.outcome),
    }


def changed_message(old: str, new: str) -> Output:
    """Return a new message, and whether it differs from the old one: how it is worded is free.

    `changed_message("No.", "No.")` -> `{"message_changes": False, "message": "No."}`
    """
    return {"message_changes": new != old, "message": new}

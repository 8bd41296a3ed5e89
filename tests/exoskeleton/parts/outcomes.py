"""Answers of recorded cases, which have shorter names of outcomes than this project.

answer = answer_of("CLARIFY", "Which card?")
answer.outcome                                # "OUTCOME_NONE_CLARIFICATION"
output_of(answer, old_message="Which one?")
# {"outcome": "CLARIFY", "message": "Which card?", "message_changes": True}
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
"""This project's outcome for each outcome's name in the cases."""


def answer_of(
    outcome_name: str,
    message: str,
    notes: Sequence[str] = (),
    documents: Sequence[str] = (),
    records: Sequence[str] = (),
) -> Completion:
    """Return the answer of a case, with this project's outcome. A name not in `OUTCOMES` stays.

    `documents` and `records` are the paths of the files that it cites.
    """
    return Completion.model_validate(
        {
            "outcome": OUTCOMES.get(outcome_name, outcome_name),
            "message": message,
            "notes": "\n".join(notes),
            "documents": documents,
            "records": records,
        }
    )


def output_of(answer: Completion, old_message: str) -> Output:
    """Return an answer with the cases' name of its outcome, and whether its message was changed."""
    names = {outcome: name for name, outcome in OUTCOMES.items()}
    return {
        **changed_message(old_message, answer.message),
        "outcome": names.get(answer.outcome, answer.outcome),
    }


def changed_message(old: str, new: str) -> Output:
    """Return a new message, and whether it differs from the old one.

    Most cases expect only that the message changed, and not its wording.

    `changed_message("No.", "No.")` -> `{"message_changes": False, "message": "No."}`
    """
    return {"message_changes": new != old, "message": new}

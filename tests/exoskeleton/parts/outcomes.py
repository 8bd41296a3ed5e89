"""The outcomes of answers, which recorded cases call by other words."""

from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED

OUTCOMES = {
    "OK": OK,
    "DENIED": DENIED,
    "CLARIFY": CLARIFICATION,
    "UNSUPPORTED": UNSUPPORTED,
}
"""This project's outcome for each word of the cases."""

WORDS_BY_OUTCOME = {outcome: word for word, outcome in OUTCOMES.items()}
"""The word of the cases for each outcome of this project."""

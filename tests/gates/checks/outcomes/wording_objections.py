"""What rule `6/wording` says of an answer that does not fit its outcome."""

from __future__ import annotations

from tests.gates.found_verdicts import objection_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


def objection_to_wording(
    outcome: str, answer: str, instruction: str = "Which book?"
) -> str:
    """Return what the rule objects to in an answer with this outcome.

    `objection_to_wording("OUTCOME_NONE_CLARIFICATION", answer="b-104")` -> "… asks nothing …", and
    an empty string for the answer "b-104 or b-105?".
    """
    scratchpad = valid_scratchpad(outcome=outcome, answer=answer)
    judgement = judge_scratchpad(scratchpad, instruction=instruction)
    return objection_of(judgement, "6/wording")

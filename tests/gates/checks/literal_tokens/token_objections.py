"""What gate 8 says of the literal strings that an answer must contain."""

from __future__ import annotations

from tests.gates.found_verdicts import objection_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


def objection_to_tokens(answer: str, tokens: object) -> str:
    """Return what the gate objects to in an answer of a script that declares `tokens`.

    `objection_to_tokens("b-105", tokens=["b-104"])` -> "`b-104` is not in the answer …", and an
    empty string for the answer "b-104".
    """
    scratchpad = valid_scratchpad(answer=answer, tokens=tokens)
    return objection_of(judge_scratchpad(scratchpad), 8)


def objection_to_form(instruction: str, answer: str) -> str:
    """Return what the gate objects to in an answer to a request, which may show a form.

    `objection_to_form("How many? Answer as <COUNT:%d>.", "3")` -> "… fill the placeholder in …"
    """
    scratchpad = valid_scratchpad(answer=answer, outcome="OUTCOME_OK")
    judgement = judge_scratchpad(scratchpad, instruction=instruction)
    return objection_of(judgement, 8)

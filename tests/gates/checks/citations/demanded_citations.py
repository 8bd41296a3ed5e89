"""Requests that demand citations, and what rule `3/demanded-citation` says of answers to them."""

from __future__ import annotations

from tests.gates.checks.citations.citing_trial import calls_of_a_trial
from tests.gates.found_verdicts import objection_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


def objection_to_citations(instruction: str, answer: str, refs: dict[str, str]) -> str:
    """Return what rule `3/demanded-citation` objects to in the citations `refs` of an answer.

    `objection_to_citations("Read /logs/lent.tsv and count.", "2", refs={})` -> "… is what the
    request is about …", and an empty string if the answer cites the file.
    """
    judgement = judge_scratchpad(
        valid_scratchpad(answer=answer, refs_why=refs),
        calls_of_a_trial(),
        instruction=instruction,
    )
    return objection_of(judgement, "3/demanded-citation")

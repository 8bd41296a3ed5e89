"""Judges submissions inside a trial's aide: gates and rules work on texts that anybody may have written.

The texts that the trial saw are kept here once they were sent; a new process has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent.submission.judging_data import evidence_of, findings_data, submission_of
from gates import Case, Submission, find_faults, load_pack
from gates.types import Evidence, SeenText, Touch
from sandbox.interface import Plain

_TEXTS: list[tuple[Any, ...]] = []
"""The fields of each `SeenText`."""


def kept_texts() -> int:
    """Return how many texts are here."""
    return len(_TEXTS)


def keep_texts(texts: list[Any]) -> None:
    """Keep further texts."""
    _TEXTS.extend(map(tuple, texts))


def judge_submission(
    submission: Sequence[Any], evidence: dict[str, Any], case: list[Any], packs: list[str]
) -> list[Plain]:
    """Return what gates and the rules of packs find, all but gate 7. What it indexes is released at its end."""
    seen = evidence_of(evidence, [SeenText(*each) for each in _TEXTS])
    return findings_data(find_faults(submission_of(submission), seen, Case(*case), tuple(map(load_pack, packs))))


def _warm_up() -> None:
    """Judge once in the process that aides are forked from, so that no aide compiles a pattern again."""
    path, text = "/docs/stock.md", SeenText("Answer `<COUNT:%d>`. Stock is 12 on 2026-01-05.")
    seen = Evidence(has_trace=True, touches={path: Touch(path, frozenset({"read"}), (text,))})
    given = {"answer": "<COUNT:12>", "outcome": "OUTCOME_OK", "refs_why": {path: "says 12 in stock"}}
    instruction = "How many are in stock? Answer yes or no, or with the number only as <COUNT:%d>."
    find_faults(Submission.from_scratchpad(given, None), seen, Case(instruction, text.text))


_warm_up()

"""Judges submissions inside a trial's aide, because gates and rules work on texts that anybody may have written."""

from __future__ import annotations

import json
from typing import Any, Final

from gates.evidence import Evidence, SeenText, Touch
from gates.judging import find_objections
from gates.rules import load_pack
from gates.submission import Case, Submission
from gates.transport import evidence_data, evidence_of, submission_data, submission_of, verdict_data
from sandbox.interface import Plain

_WARM_ROUNDS: Final = 12
"""More than the interpreter takes to specialise what it runs."""


def judge_submission(
    submission: dict[str, Any],
    evidence: dict[str, Any],
    case: list[Any],
    rules: tuple[list[str], bool],
    texts: list[str],
) -> list[Plain]:
    """Return the findings of gates and of the packs' rules, all but gate 7.

    `rules` holds the packs and whether rules that ask judge, too; `texts` are those that `evidence` refers to.
    """
    seen, (packs, asks) = evidence_of(evidence, texts), rules
    found = find_objections(submission_of(submission), seen, Case(*case), tuple(map(load_pack, packs)), asks=asks)
    return verdict_data(found)


def _warm_up() -> None:
    """Judge a few times in the process from which aides are forked.

    The interpreter specialises code when it runs first; otherwise each aide would do so again, in memory of its own.
    """
    path, text = "/docs/stock.md", SeenText("Answer `<COUNT:%d>`. Stock is 12 on 2026-01-05.")
    seen = Evidence(
        has_trace=True,
        touches={path: Touch(path, frozenset({"read"}), (text,))},
        paths_by_spelling={path: (path,)},
        directories=frozenset({"/docs"}),
    )
    given = Submission.from_scratchpad(
        {"answer": "<COUNT:12> of 1,200 on 5 January 2026", "outcome": "OUTCOME_OK", "refs_why": {path: "12 in stock"}},
        None,
    )
    instruction = "How many are in stock? Answer yes or no, or with the number only as <COUNT:%d>."
    data, texts = evidence_data(seen)
    case = [instruction, text.text, "/docs", 0, "2026-01-05T10:00:00Z"]
    for _ in range(_WARM_ROUNDS):
        judge_submission(*json.loads(json.dumps([submission_data(given), data, case, [[], True], texts])))


_warm_up()

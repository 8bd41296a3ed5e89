"""Judges submissions inside a trial's aide, because gates and rules work on texts that anybody may have written.

The texts that the trial saw are kept here once they have been sent; a new process has none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from gates.evidence import Evidence, SeenText, Touch
from gates.judging import find_objections
from gates.rules import load_pack
from gates.submission import Case, Submission
from gates.transport import (
    evidence_data,
    evidence_of,
    paths_of,
    submission_data,
    submission_of,
    text_data,
    verdict_data,
)
from sandbox.interface import Plain

_TEXTS: list[SeenText] = []
_WARM_ROUNDS: Final = 12
"""More than the interpreter takes to specialise what it runs."""


class _Listed:
    """The latest listed paths: for the same object, rules find what they computed before."""

    paths: Mapping[str, tuple[str, ...]] | None = None


def judge_submission(
    kept: tuple[int, list[Any]],
    submission: dict[str, Any],
    evidence: dict[str, Any],
    case: list[Any],
    rules: tuple[list[str], bool],
    texts: list[str],
) -> list[Plain] | None:
    """Keep texts, and return the findings of gates and of the packs' rules, all but gate 7.

    `kept` holds the number of the first text and the data of each, `rules` the packs and whether rules that ask judge,
    too. Returns None if earlier texts are missing, or if the listed paths are unchanged and this process has none.
    """
    if evidence["paths_by_spelling"] is not None:
        _Listed.paths = paths_of(evidence)
    (first, told), (packs, asks) = kept, rules
    if first > len(_TEXTS) or _Listed.paths is None:
        return None
    _TEXTS[first:] = (SeenText(text, *rest) for text, rest in zip(texts, told, strict=True))
    seen = evidence_of(evidence, _TEXTS, _Listed.paths)
    found = find_objections(submission_of(submission), seen, Case(*case), tuple(map(load_pack, packs)), asks=asks)
    return cast("list[Plain]", verdict_data(found))


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
    message = [[0, [text_data(text)]], submission_data(given), evidence_data(seen, lambda _: 0)]
    case = [instruction, text.text, "/docs", 0, "2026-01-05T10:00:00Z"]
    for _ in range(_WARM_ROUNDS):
        judge_submission(*json.loads(json.dumps([*message, case, [[], True], [text.text]])))
    _TEXTS.clear()
    _Listed.paths = None


_warm_up()

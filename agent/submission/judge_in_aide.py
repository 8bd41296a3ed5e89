"""Judges submissions inside a trial's aide: gates and rules work on texts that anybody may have written.

The texts that the trial saw are kept here once they were sent; a new process has none.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from agent.submission.judging_data import (
    evidence_data,
    evidence_of,
    findings_data,
    submission_data,
    submission_of,
    text_data,
    verdict_data,
)
from gates import Case, Submission, Verdict, find_faults, load_pack
from gates.reading import ReadCall, Reader, Unanswered, Unread
from gates.types import Evidence, SeenText, Touch
from sandbox.interface import CallError, Plain, error_codes

_TEXTS: list[tuple[Any, ...]] = []
"""The fields of each `SeenText`."""
_WARM_ROUNDS: Final = 12
"""More than the interpreter takes to specialise what it runs."""


def keep_texts(first: int, told: list[Any], texts: list[str]) -> int | None:
    """Keep texts from number `first` on, with what is told of each, and return how many are here; None if earlier ones
    are missing."""
    if first > len(_TEXTS):
        return None
    _TEXTS[first:] = ((text, *rest) for text, rest in zip(texts, told, strict=True))
    return len(_TEXTS)


def judge_submission(
    kept: tuple[int, list[Any]],
    submission: Sequence[Any],
    evidence: dict[str, Any],
    case: list[Any],
    packs: list[str],
    texts: list[str],
) -> list[Plain] | None:
    """Keep texts, of which `kept` holds the number of the first and what is told of each, and return what gates and the
    rules of packs find, all but gate 7; None if earlier texts are missing, or listed paths that are those of before.

    What it indexes is released at its end, or with the last turn of the rules that read.
    """
    if evidence["paths_by_spelling"] is None:
        evidence["paths_by_spelling"] = _Latest.paths
    _Latest.paths = evidence["paths_by_spelling"]
    if keep_texts(*kept, texts) is None or _Latest.paths is None:
        return None
    _Latest.given, _Latest.decoded = (submission, evidence, case), None
    _Latest.answers, _Latest.verdicts = _Answers(), {}
    loaded = tuple(map(load_pack, packs))
    decoded = _decoded(submission, evidence, case)
    if any(each.recomputations for each in loaded):
        _Latest.decoded = decoded
    return findings_data(find_faults(*decoded, loaded))


def _decoded(submission: Sequence[Any], evidence: dict[str, Any], case: list[Any]) -> tuple[Submission, Evidence, Case]:
    return submission_of(submission), evidence_of(evidence, [SeenText(*each) for each in _TEXTS]), Case(*case)


class _Kept:
    """What was read for earlier submissions, since the last call that may have changed something."""

    since: int = 0
    results: ClassVar[dict[str, Mapping[str, Any]]] = {}


class _Answers(dict[str, Mapping[str, Any] | Unread]):
    """What a submission's calls came to, by their keys. What was kept is taken over when a rule asks for it."""

    taken_over: int = 0

    def __contains__(self, key: object) -> bool:
        if super().__contains__(key):
            return True
        if not isinstance(key, str) or key not in _Kept.results:
            return False
        self[key] = _Kept.results[key]
        self.taken_over += 1
        return True


class _Latest:
    """The submission that was judged last, and how far the rules that read came with it."""

    given: tuple[Sequence[Any], dict[str, Any], list[Any]] | None = None
    paths: dict[str, list[str]] | None = None
    """The listed paths by their spelling."""
    decoded: tuple[Submission, Evidence, Case] | None = None
    """The same as the rules see it, until those that read are through."""
    answers: _Answers
    verdicts: dict[str, Verdict]


def recompute(packs: list[str], answers: list[Any], kept_since: int) -> list[Plain]:
    """Go on with the rules that read: with answers to the calls that they asked for, return the verdicts so far, the
    further calls that they wait for, how many calls were answered from what was kept here, and the CPU seconds that
    this took. Nothing is kept from before the change of number `kept_since`."""
    began = time.process_time()
    if _Latest.given is None:
        raise CallError(error_codes.INTERNAL, "the process that judged the submission has ended")
    if _Kept.since != kept_since:
        _Kept.since, _Kept.results = kept_since, {}
    _Latest.answers.taken_over = 0
    for operation, arguments, result, failure in answers:
        code, message = failure or ("", "")
        key = ReadCall(operation, arguments).key
        _Latest.answers[key] = Unread(message, code) if failure else result
        if not failure:
            _Kept.results[key] = result
    given = _Latest.decoded = _Latest.decoded or _decoded(*_Latest.given)
    reader, wanted = Reader(_Latest.answers), dict[str, ReadCall]()
    for pack in map(load_pack, packs):
        for rule in pack.recomputations:
            name = f"{pack.name}/{rule.name}"
            if name not in _Latest.verdicts:
                try:
                    _Latest.verdicts[name] = rule.judge(pack.name, *given, reader)
                except Unanswered as asked:
                    wanted |= {each.key: each for each in asked.calls}
    if not wanted:
        _Latest.decoded = None
    calls: list[Plain] = [[each.operation, dict(each.arguments)] for each in wanted.values()]
    taken_over = _Latest.answers.taken_over
    return [verdict_data(_Latest.verdicts.values()), calls, taken_over, time.process_time() - began]


def _warm_up() -> None:
    """Judge a few times in the process that aides are forked from.

    What the interpreter learns and keeps when code runs first, each aide would learn again, in memory of its own.
    """
    path, text = "/docs/stock.md", SeenText("Answer `<COUNT:%d>`. Stock is 12 on 2026-01-05.")
    seen = Evidence(
        has_trace=True,
        touches={path: Touch(path, frozenset({"read"}), (text,))},
        paths_by_spelling={path: (path,)},
        directories=frozenset({"/docs"}),
    )
    given = Submission.from_scratchpad(
        {"answer": "<COUNT:12>", "outcome": "OUTCOME_OK", "refs_why": {path: "says 12 in stock"}}, None
    )
    instruction = "How many are in stock? Answer yes or no, or with the number only as <COUNT:%d>."
    message = [[0, [text_data(text)]], submission_data(given), evidence_data(seen, lambda _: 0)]
    for _ in range(_WARM_ROUNDS):
        judge_submission(*json.loads(json.dumps([*message, [instruction, text.text, "/docs", 0], [], [text.text]])))
    _TEXTS.clear()
    _Latest.given = _Latest.paths = None


_warm_up()

"""What runs in the aide, in this process: rules that read take turns with the answers to their calls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agent.submission import judge_in_aide
from agent.submission.judging_data import evidence_data, submission_data
from gates import Submission
from gates.types import Evidence
from sandbox.interface import CallError
from tests.support.reading_pack import NAME

CASE = ["identity", "", "", 0]
NOTE = ["read", {"path": "/note.txt"}]
IDENTITY = ["exec", {"path": "/bin/id", "args": [], "stdin": ""}]


@pytest.fixture(autouse=True)
def nothing_judged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(judge_in_aide._Latest, "given", None)
    monkeypatch.setattr(judge_in_aide._Kept, "results", {})
    monkeypatch.setattr(judge_in_aide._Kept, "since", 0)
    yield
    judge_in_aide._Latest.given = None


def judge() -> None:
    evidence = evidence_data(Evidence(has_trace=True), lambda seen: 0)
    judge_in_aide.judge_submission(
        [0, []], submission_data(Submission(answer="heron", refs=())), evidence, CASE, [NAME], []
    )


def test_rules_of_no_submission_cannot_go_on() -> None:
    with pytest.raises(CallError, match="has ended"):
        judge_in_aide.recompute([NAME], [], 0)


def test_every_turn_asks_for_what_is_missing_and_keeps_what_is_decided() -> None:
    judge()
    verdicts, calls, _, cpu_s = judge_in_aide.recompute([NAME], [], 0)
    assert (verdicts, calls) == ([], [NOTE, IDENTITY])
    assert cpu_s >= 0
    answer = [*NOTE, {"content": "the word is heron"}, None]
    verdicts, calls, *_ = judge_in_aide.recompute([NAME], [answer], 0)
    assert (verdicts, calls) == ([[0, "reading/word", "pass", ""]], [IDENTITY])
    verdicts, calls, *_ = judge_in_aide.recompute([NAME], [[*IDENTITY, None, ["not_found", "there is no /bin/id"]]], 0)
    assert (verdicts[1:], calls) == ([[0, "reading/deed", "not_applicable", "there is no /bin/id"]], [])


@pytest.mark.parametrize(("since", "asked", "taken_over"), [(0, [IDENTITY], 1), (1, [NOTE, IDENTITY], 0)])
def test_another_submission_begins_anew_with_what_was_read_since_the_last_change(
    since: int, asked: list[object], taken_over: int
) -> None:
    judge()
    judge_in_aide.recompute([NAME], [[*NOTE, {"content": "the word is heron"}, None]], 0)
    judge()
    _, calls, taken, _ = judge_in_aide.recompute([NAME], [], since)
    assert (calls, taken) == (asked, taken_over)


def test_a_call_that_failed_is_asked_for_again() -> None:
    judge()
    judge_in_aide.recompute([NAME], [[*NOTE, None, ["unavailable", "nobody is there"]]], 0)
    judge()
    _, calls, taken, _ = judge_in_aide.recompute([NAME], [], 0)
    assert (calls, taken) == ([NOTE, IDENTITY], 0)

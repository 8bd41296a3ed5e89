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
    yield
    judge_in_aide._Latest.given = None


def judge() -> None:
    evidence = evidence_data(Evidence(has_trace=True), lambda seen: 0)
    judge_in_aide.judge_submission(
        [0, []], submission_data(Submission(answer="heron", refs=())), evidence, CASE, [NAME], []
    )


def test_rules_of_no_submission_cannot_go_on() -> None:
    with pytest.raises(CallError, match="has ended"):
        judge_in_aide.recompute([NAME], [])


def test_every_turn_asks_for_what_is_missing_and_keeps_what_is_decided() -> None:
    judge()
    verdicts, calls, cpu_s = judge_in_aide.recompute([NAME], [])
    assert (verdicts, calls) == ([], [NOTE, IDENTITY])
    assert cpu_s >= 0
    answer = [*NOTE, {"content": "the word is heron"}, None]
    verdicts, calls, _ = judge_in_aide.recompute([NAME], [answer])
    assert (verdicts, calls) == ([[0, "reading/word", "pass", ""]], [IDENTITY])
    verdicts, calls, _ = judge_in_aide.recompute([NAME], [[*IDENTITY, None, ["not_found", "there is no /bin/id"]]])
    assert (verdicts[1:], calls) == ([[0, "reading/deed", "not_applicable", "there is no /bin/id"]], [])


def test_another_submission_begins_anew() -> None:
    judge()
    judge_in_aide.recompute([NAME], [[*NOTE, {"content": "the word is heron"}, None]])
    judge()
    assert judge_in_aide.recompute([NAME], [])[:2] == [[], [NOTE, IDENTITY]]

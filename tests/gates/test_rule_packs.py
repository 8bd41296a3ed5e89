"""Packs of rules beside the gates."""

import json

import pytest

from gates import Case, Pack, Recomputation, Rule, Submission, judge
from gates.reading import ReadCall, Reader, Unread
from gates.types import Evidence
from tests.gates.sample_trials import Verify, pad


def test_rules_of_a_pack_stand_behind_the_gates() -> None:
    pack = Pack("library", (Rule("no-shouting", lambda s, e, c: "do not shout" if str(s.answer).isupper() else ""),))
    submission = Submission.from_scratchpad(pad(answer="21 DAYS"), Verify())
    judgement = judge(submission, Evidence(), Case("x"), packs=(pack,))
    assert not judgement.accepted
    assert judgement.message == "[library/no-shouting] do not shout"
    assert (judgement.verdicts[-1].gate, judgement.verdicts[-1].name) == (0, "library/no-shouting")


def test_a_recomputation_does_not_apply_where_nothing_can_be_read() -> None:
    def never(*parts: object) -> str:
        raise AssertionError

    pack = Pack("library", (), (Recomputation("sum", never),))
    submission = Submission.from_scratchpad(pad(answer="21 DAYS"), Verify())
    verdict = judge(submission, Evidence(), Case("x"), packs=(pack,)).verdicts[-1]
    assert (verdict.gate, verdict.name, verdict.result) == (0, "library/sum", "not_applicable")
    assert verdict.reason == "there is no workspace to read"


@pytest.mark.parametrize(
    ("fault_of", "result", "reason"),
    [
        (lambda *parts: "", "pass", ""),
        (lambda *parts: "count again", "reject", "count again"),
        (lambda s, e, c, reader: str(int(reader.read("/n"))), "not_applicable", "what was read has another form"),
        (lambda s, e, c, reader: str(json.loads(reader.read("/n"))["no"]), "not_applicable", "has another form"),
        (lambda s, e, c, reader: reader.read("/m"), "not_applicable", "no /m"),
    ],
)
def test_a_recomputation_rejects_by_what_it_reads_and_does_not_apply_without(
    fault_of: object, result: str, reason: str
) -> None:
    keys = {path: ReadCall("read", {"path": path}).key for path in ("/n", "/m")}
    reader = Reader({keys["/n"]: {"content": "[many]"}, keys["/m"]: Unread("there is no /m", "not_found")})
    verdict = Recomputation("sum", fault_of).judge("library", Submission(), Evidence(), Case("x"), reader)
    assert (verdict.name, verdict.result) == ("library/sum", result)
    assert reason in verdict.reason
    assert bool(reason) is bool(verdict.reason)

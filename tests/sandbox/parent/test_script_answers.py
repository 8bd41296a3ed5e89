"""What a sandbox promises of answers: `verify` is asked in the child, and an accepted answer ends the step."""

from __future__ import annotations

import pytest

from sandbox import Ending, Limits
from tests.sandbox.script_world import Desk, finished


def test_an_answer_reaches_the_host_flattened_with_what_verify_says(box, desk):
    code = """
from decimal import Decimal
from datetime import date
scratchpad.update(answer="7", outcome="OUTCOME_OK", when=date(2026, 1, 2), cost=Decimal("1.5"), tags={"b", "a"})
def verify(sp):
    assert sp.answer == sp["answer"]
    return {"ok": sp["answer"] == "7"}
harness.answer(scratchpad, verify)
"""
    finished(box, code)
    assert desk.answers == [
        {"answer": "7", "outcome": "OUTCOME_OK", "when": "2026-01-02", "cost": "1.5", "tags": ["a", "b"]}
    ]
    ((plain, blanked),) = desk.verified
    assert plain.says_yes
    assert not blanked.says_yes


@pytest.mark.parametrize(
    ("verify", "is_callable", "takes_one"),
    [
        ("harness.answer(scratchpad)", False, False),
        ("harness.answer(scratchpad, 5)", False, False),
        ("harness.answer(scratchpad, verify=lambda: True)", True, False),
        ("harness.answer(scratchpad, lambda sp, x=1: True)", True, True),
        ("harness.answer(scratchpad, lambda *a: True)", True, True),
    ],
)
def test_what_verify_is_like_is_for_the_host_to_judge(open_box, verify, is_callable, takes_one):
    seen = []

    class Judge(Desk):
        def answer(self, scratchpad, verify):
            seen.append((verify.is_callable, verify.takes_one_argument))

    finished(open_box(host=Judge()), verify)
    assert seen == [(is_callable, takes_one)]


def test_verify_works_on_a_copy_and_its_calls_only_read(box, desk):
    code = """
seen = []
def verify(sp):
    sp["answer"] = "changed"
    harness.read("/docs/checkout.md")
    harness.exec("/bin/id")
    for call in (
        lambda: harness.write("/x", "y"),
        lambda: harness.delete("/docs/checkout.md"),
        lambda: harness.exec("/bin/checkout"),
        lambda: harness.exec("/bin/unknown"),
        lambda: scratchpad.cite("/docs/checkout.md", "a long reason"),
        lambda: harness.answer(scratchpad, verify),
    ):
        try:
            call()
            seen.append("made")
        except HarnessError as error:
            seen.append(error.code)
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
print(scratchpad, seen)
"""
    assert finished(box, code).output == f"{{'answer': 'x'}} {['permission_denied'] * 12}\n"
    assert [call[2] for call in desk.calls] == [True] * len(desk.calls)
    assert {call[0] for call in desk.calls} == {"read", "exec"}


def test_a_verify_that_raises_or_hangs_says_no_and_the_step_goes_on(open_box, desk):
    box = open_box()
    code = "scratchpad['answer'] = 'x'\nharness.answer(scratchpad, {verify})\nprint('went on')"
    assert finished(box, code.format(verify="lambda sp: sp['nope']")).output == "went on\n"
    assert "KeyError" in desk.verified[0][0].error
    box = open_box(limits=Limits(verify_s=0.4))
    assert finished(box, "def v(sp):\n    while True: pass\n" + code.format(verify="v")).output == "went on\n"
    assert desk.verified[1][0].error == "verify ran longer than 0.4 s"


def test_a_verify_that_cannot_be_stopped_costs_the_step(open_box, desk):
    box = open_box(limits=Limits(verify_s=0.2))
    result = box.run("scratchpad['answer'] = 'x'\nharness.answer(scratchpad, lambda sp: sum(range(10 ** 13)))")
    assert result.ending is Ending.LIMIT
    assert result.error == "verify ran longer than 0.2 s"
    assert finished(box, "print(scratchpad['answer'])").output == "x\n"


def test_after_an_accepted_answer_every_call_fails(box):
    code = """
scratchpad["answer"] = "x"
harness.answer(scratchpad, lambda sp: True)
calls = [lambda: harness.stat("/docs"), lambda: scratchpad.cite("/docs", "long enough")]
for call in [*calls, lambda: harness.answer(scratchpad, 1)]:
    try:
        call()
    except HarnessError as error:
        print(error.code, error.message)
"""
    assert set(finished(box, code).output.splitlines()) == {
        "failed_precondition the answer was accepted; the trial is over"
    }


def test_a_rejected_answer_can_be_mended_in_the_same_step(box, desk):
    code = """
scratchpad["answer"] = "reject"
try:
    harness.answer(scratchpad, lambda sp: True)
except GateRejection as error:
    print("sent back:", error)
scratchpad["answer"] = "good"
harness.answer(scratchpad, lambda sp: True)
"""
    assert finished(box, code).output == "sent back: gate 3: no references\n"
    assert [each["answer"] for each in desk.answers] == ["good"]

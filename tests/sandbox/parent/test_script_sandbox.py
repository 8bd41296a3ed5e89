"""What a sandbox promises its owner: steps, scratchpad, calls, answers."""

import pytest

from sandbox import Ending, Limits
from tests.sandbox.script_world import finished


@pytest.mark.parametrize(
    "leaving",
    [
        "class E:\n    def __str__(self): raise ValueError('x')\nraise SystemExit(E())",
        "class S(SystemExit):\n    @property\n    def code(self): raise BaseException('x')\nraise S(0)",
        "class S(SystemExit):\n    code = property(lambda self: 0)\nraise S('why')",
    ],
)
def test_an_exit_that_lies_or_cannot_be_told_costs_nothing_that_was_kept(leaving, box):
    result = box.run(f"scratchpad['k'] = 1\n{leaving}")
    assert result.ending is Ending.RAISED
    assert "SystemExit" in result.error or "while a S was described" in result.error
    assert result.scratchpad == {"k": 1}


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


@pytest.mark.parametrize("endless", ["sum(range(10 ** 13))", "[0 for _ in iter(int, 1)]"])
def test_a_verify_that_hangs_costs_the_step(open_box, endless):
    box = open_box(limits=Limits(verify_s=0.2))
    result = box.run(f"scratchpad['answer'] = 'x'\nharness.answer(scratchpad, lambda sp: {endless})")
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

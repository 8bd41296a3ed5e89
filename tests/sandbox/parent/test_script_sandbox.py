"""What a sandbox promises its owner: steps, scratchpad, calls, answers."""

import pytest

from sandbox import Ending, Limits
from tests.sandbox.script_world import Desk, finished


def test_names_are_gone_in_the_next_step_and_the_scratchpad_stays(box):
    finished(box, "x = 1\nscratchpad['x'] = [x]")
    result = box.run("print(scratchpad['x'])\nprint(x)")
    assert result.output == "[1]\n"
    assert result.ending is Ending.RAISED
    assert result.error.endswith(
        "NameError: name 'x' is not defined; names end with their step; what a later one needs is kept in scratchpad"
    )
    assert result.scratchpad == {"x": [1]}


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ("lambda: 1", "scratchpad['bad'] is of type function"),
        ("{'x': [1, object()]}", "scratchpad['bad']['x'][1] is of type object"),
        ("print", "scratchpad['bad'] is of type builtin_function_or_method"),
        ("[(i for i in [])]", "scratchpad['bad'][0] is of type generator"),
        ("1 << 20_000", "scratchpad['bad'] is an integer of 20001 bits"),
    ],
)
def test_a_value_that_cannot_be_kept_is_refused_at_once_with_its_key(box, value, place):
    result = box.run(f"scratchpad['good'] = 1\nscratchpad['bad'] = {value}")
    assert place in result.error
    assert "line 2" in result.error
    assert result.scratchpad == {"good": 1}


def test_a_step_that_is_killed_keeps_what_it_had_at_its_last_call(open_box):
    box = open_box(limits=Limits(step_wall_s=1.0))
    box.ready_child()
    result = box.run("scratchpad['a'] = 1\nharness.stat('/docs')\nprint('seen')\nscratchpad['b'] = 2\nwhile True: pass")
    assert result.ending is Ending.LIMIT
    assert result.scratchpad == {"a": 1, "b": 2}
    assert result.output == "seen\n"
    assert finished(box, "print(sorted(scratchpad))").output == "['a', 'b']\n"


def test_a_citation_is_kept_although_the_step_is_killed_in_c_code(open_box):
    box = open_box(limits=Limits(step_wall_s=1.0))
    box.ready_child()
    result = box.run("scratchpad.cite('/docs/checkout.md', 'says when refunds end')\nsum(range(10 ** 13))")
    assert result.ending is Ending.LIMIT
    assert result.scratchpad == {"refs_why": {"/docs/checkout.md": "says when refunds end"}}


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
def test_the_host_judges_the_form_of_verify(open_box, verify, is_callable, takes_one):
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

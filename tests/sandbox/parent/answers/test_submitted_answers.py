"""A script hands in an answer with a check of it, and the host gets both.

`harness.answer(scratchpad, verify)` submits the scratchpad to the host, the parent's side that
answers a script's calls. The host asks `verify`, the script's own check, about the answer and about
a blank one.
"""

from tests.sandbox.opened_sandboxes import run_to_its_end


def test_the_host_gets_an_answer_as_json(sandbox, host):
    """Values that JSON does not have are sent as texts, and a set as a sorted list."""
    code = """
from decimal import Decimal
from datetime import date
scratchpad["answer"] = "7"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["when"] = date(2026, 1, 2)
scratchpad["cost"] = Decimal("1.5")
scratchpad["tags"] = {"b", "a"}
harness.answer(scratchpad, lambda sp: True)
"""

    run_to_its_end(sandbox, code)

    assert host.answers == [
        {
            "answer": "7",
            "outcome": "OUTCOME_OK",
            "when": "2026-01-02",
            "cost": "1.5",
            "tags": ["a", "b"],
        }
    ]


def test_the_host_asks_verify_about_the_answer_and_about_a_blank_one(sandbox, host):
    """A check that says yes to both checks nothing."""
    code = """
scratchpad["answer"] = "7"
def verify(sp):
    assert sp.answer == sp["answer"]
    return {"ok": sp["answer"] == "7"}
harness.answer(scratchpad, verify)
"""

    run_to_its_end(sandbox, code)

    assert len(host.verify_replies) == 1
    replies = host.verify_replies[0]
    assert replies.to_answer.says_yes  # "7" == "7"
    assert not replies.to_blank_answer.says_yes


def test_every_call_after_an_accepted_answer_fails(sandbox):
    """A trial has one answer, and nothing may change behind it."""
    code = """
scratchpad["answer"] = "x"
harness.answer(scratchpad, lambda sp: True)
for call in (
    lambda: harness.stat("/docs"),
    lambda: scratchpad.cite("/docs", "long enough"),
    lambda: harness.answer(scratchpad, 1),
):
    try:
        call()
    except HarnessError as error:
        print(error.code, error.message)
"""

    result = run_to_its_end(sandbox, code)

    error = "failed_precondition the answer was accepted; the trial is over"
    assert result.output.splitlines() == [error, error, error]

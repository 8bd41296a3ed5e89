"""A submission is compared with what the records bear out: outcome, deed, value and citations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.shop.computed.expectation import Expectation, fault_of, holds_word
from gates import OUTCOMES, Submission
from gates.types import Change, Evidence

OK, DENIED, ASK, UNSUPPORTED, _ = OUTCOMES
BASKET, OTHER, DOC = "/proc/baskets/b-1.json", "/proc/baskets/b-2.json", "/docs/checkout.md"
DONE = Evidence(has_trace=True, changes=(Change("/bin/checkout", "execute", "b-1"),))
ELSE = Evidence(has_trace=True, changes=(Change("/bin/checkout", "execute", "b-10 b-2"),))
IDLE = Evidence(has_trace=True)
EXPECTED = Expectation("The records", OK, cited=frozenset({BASKET, DOC}), deed=("/bin/checkout", "b-1"))


def fault(refs: tuple[str, ...] = (BASKET, DOC), outcome: str = OK, evidence: Evidence = DONE, **more: object) -> str:
    answer = str(more.pop("answer", "Done: b-1."))
    expected = Expectation(**{**{name: getattr(EXPECTED, name) for name in EXPECTED.__slots__}, **more})
    return fault_of(expected, Submission(answer=answer, outcome=outcome, refs=list(refs)), evidence)


def test_what_the_records_bear_out_passes() -> None:
    assert fault() == ""
    assert fault(refs=(f"{BASKET}#lines", DOC, "/docs/stock.md")) == ""
    assert fault(evidence=Evidence()) == ""


@pytest.mark.parametrize("outcome", [DENIED, ASK, UNSUPPORTED])
def test_another_outcome_is_not_borne_out(outcome: str) -> None:
    found = fault(outcome=outcome)
    assert outcome in found
    assert OK not in found
    assert fault(outcome=outcome, may_be=frozenset({outcome})) == ""


@pytest.mark.parametrize("evidence", [IDLE, ELSE])
def test_a_deed_must_stand_in_the_trace_with_its_own_record(evidence: Evidence) -> None:
    assert "the trace does not show it" in fault(evidence=evidence)
    assert fault(evidence=evidence, deed=()) == ""


@pytest.mark.parametrize("change", [Change("/bin/refund", "execute", "b-1"), Change("/bin/checkout", "execute", "b-2")])
def test_the_same_words_told_to_another_tool_are_another_deed(change: Change) -> None:
    assert "the trace does not show it" in fault(evidence=Evidence(has_trace=True, changes=(change,)))


def test_what_is_not_allowed_need_not_be_done() -> None:
    refused = Submission(answer="It is sold.", outcome=UNSUPPORTED, refs=[BASKET, DOC])
    assert fault_of(replace(EXPECTED, outcome=UNSUPPORTED), refused, IDLE) == ""


def test_where_several_outcomes_may_be_right_no_answer_rests_on_a_stranger() -> None:
    open_ = {"may_be": frozenset({OK, ASK}), "strange": frozenset({OTHER})}
    assert fault((BASKET, DOC), **open_) == fault((BASKET, DOC), ASK, **open_) == ""
    assert "does not rest on b-2" in fault((BASKET, DOC, OTHER), **open_)
    assert "does not rest on b-2" in fault((BASKET, DOC, OTHER), ASK, **open_)


def test_a_message_names_six_records_and_says_how_many_more_there_are() -> None:
    wanted = [f"/docs/{letter}.md" for letter in "abcdefg"]
    assert "/docs/f.md." in fault((), cited=frozenset(wanted[:6]))
    assert "/docs/f.md and 1 more." in fault((), cited=frozenset(wanted))


def test_the_message_names_no_value() -> None:
    found = fault(states=holds_word("4711"))
    assert "does not state" in found
    assert "4711" not in found
    assert fault(states=holds_word("4711"), answer="It is 4711.") == ""


def test_missing_citations_are_named_before_needless_ones() -> None:
    assert BASKET in fault(refs=(DOC, OTHER))
    assert "b-2" in fault(refs=(BASKET, DOC, OTHER))
    assert fault(refs=(BASKET, DOC, OTHER), tolerated=frozenset({OTHER})) == ""


@pytest.mark.parametrize(
    ("word", "text", "is_held"),
    [
        ("refund_pending", "It is refund pending now.", True),
        ("refund_pending", "REFUND_PENDING", True),
        ("paid", "It is unpaid.", False),
        ("7", "at most 7 percent.", True),
        ("7", "at most 7.5 percent", False),
        ("7", "at most 17 percent", False),
        ("2031-05-04T10:00:00Z", "from 2031-05-04T10:00:00Z on", True),
        ("2031-05-04T10:00:00Z", "from 2031-05-04 on", False),
    ],
)
def test_a_word_stands_by_itself(word: str, text: str, is_held: bool) -> None:
    assert holds_word(word)(text) is is_held


def test_an_ok_that_changes_nothing_may_tell_what_a_question_about_a_deed_asks() -> None:
    asked = {"outcome": UNSUPPORTED, "may_be_told": True, "states": holds_word("7")}
    expected = replace(EXPECTED, **asked)
    for answer, evidence, is_right in (("No, 7.", IDLE, True), ("Done.", IDLE, False), ("Done: 7.", DONE, False)):
        told = Submission(answer=answer, outcome=OK, refs=[BASKET, DOC])
        assert (fault_of(expected, told, evidence) == "") is is_right
    assert "do not bear out" in fault_of(expected, Submission(answer="7", outcome=DENIED, refs=[BASKET, DOC]), IDLE)


@pytest.mark.parametrize(
    ("refs", "answer", "expected"),
    [
        ((BASKET, DOC), "seven", ""),
        ((OTHER, DOC), "seven", "does not state what b-2"),
        ((DOC,), "seven", "cites 0"),
        ((BASKET, OTHER, DOC), "seven", "cites 2"),
        ((BASKET,), "seven", DOC),
    ],
)
def test_an_answer_that_rests_on_one_of_some_records_says_what_that_one_makes_of_it(
    refs: tuple[str, ...], answer: str, expected: str
) -> None:
    by_record = {BASKET: holds_word("seven"), OTHER: holds_word("eight")}
    found = fault(refs, answer=answer, may_be=frozenset({OK, ASK}), cited=frozenset({DOC}), by_record=by_record)
    assert expected in found
    assert bool(found) == bool(expected)
    assert fault(refs, ASK, answer=answer, may_be=frozenset({OK, ASK}), by_record=by_record) == ""
    assert fault((DOC,), answer=answer, may_be=frozenset({OK, ASK}), cited=frozenset({DOC})) == ""

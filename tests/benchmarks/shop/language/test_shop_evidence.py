"""What a rule asks of a submission and of the evidence, seen in what the rules then reject."""

import pytest

from benchmarks.shop import PACK
from gates import Case, Submission, judge
from gates.types import Evidence
from tests.benchmarks.shop.invented_shop import (
    BASKET,
    CUSTOMER,
    DENIED,
    LAMP,
    LAMP_2,
    OK,
    POLICIES,
    RULES,
    STORE,
    Trace,
    rejected_by,
)

EXISTS = "A customer wants the big lamp. Does such a product exist?"
OPEN = "sku for the lamp, size was not supplied pls. sku only."


@pytest.mark.parametrize(
    ("answer", "rules"), [("nein", ["missing-product"]), ("No.", ["missing-product"]), ("0", []), ("FALSO", [])]
)
def test_a_word_that_is_no_known_no_counts_as_none(answer: str, rules: list[str]) -> None:
    assert rejected_by(Submission(answer=answer, outcome=OK, refs=POLICIES), EXISTS) == rules


@pytest.mark.parametrize(
    ("reasons", "rules"),
    [
        ({LAMP: "the only lamp there is", "/docs/catalogue.md": "how lamps are looked up"}, []),
        ({LAMP: "the only lamp there is", "/docs/catalogue.md": 7}, []),
        ({"/docs/catalogue.md": 7, LAMP: "the only lamp there is"}, []),
        ({LAMP: "the lamp that was found"}, ["open-detail"]),
        ({LAMP: "the lonely lamp"}, ["open-detail"]),
    ],
)
def test_one_reason_that_says_it_is_enough(reasons: dict[str, object], rules: list[str]) -> None:
    assert rejected_by(Submission(answer="VH-LMP-ONE", outcome=OK, refs_why=reasons), OPEN) == rules


def test_a_basket_that_was_not_read_is_not_known_to_be_the_askers() -> None:
    submission = Submission(answer="Not yours.", outcome=DENIED, refs=(BASKET, *POLICIES))
    assert rejected_by(submission, "Check out basket_0001.", Trace(CUSTOMER).evidence) == ["foreign-basket"]


def test_a_basket_that_names_nobody_is_not_the_askers() -> None:
    evidence = Trace().read(BASKET, '{"id": "basket_0001", "customer_id": ""}').evidence
    submission = Submission(answer="Not yours.", outcome=DENIED, refs=(BASKET, *POLICIES))
    assert rejected_by(submission, "Check out basket_0001.", evidence) == ["foreign-basket"]


@pytest.mark.parametrize("forged", [{"args": ["cust_0001"]}, {"stdin": "cust_0001"}, {"exit_code": 1}])
def test_what_the_identity_tool_was_told_to_print_names_nobody(forged: dict[str, object]) -> None:
    trace = Trace("user: cust_0007\nroles: customer\n").read(
        BASKET, '{"id": "basket_0001", "customer_id": "cust_0001"}'
    )
    arguments = {"path": "/bin/id", "args": [], "stdin": ""} | forged
    code = arguments.pop("exit_code", 0)
    result = {"stdout": "cust_0001", "stderr": "", "exit_code": code}
    trace.evidence_log.record("exec", arguments, result, None)
    submission = Submission(answer="Not yours.", outcome=DENIED, refs=(BASKET, *POLICIES))
    assert rejected_by(submission, "Check out basket_0001.", trace.evidence) == ["foreign-basket"]


def test_a_written_name_that_imitates_a_fragment_is_no_record() -> None:
    trace = Trace(CUSTOMER).write(BASKET + "#row=1", '{"id": "basket_0001", "customer_id": "cust_0001"}')
    submission = Submission(answer="Not yours.", outcome=DENIED, refs=(BASKET, *POLICIES))
    assert rejected_by(submission, "Check out basket_0001.", trace.evidence) == ["foreign-basket"]


def said(evidence: Evidence) -> str:
    submission = Submission(answer="ja", outcome=OK, refs=(STORE,))
    return judge(submission, evidence, Case("Do you have 3 of the lamp?", "", RULES), packs=(PACK,)).message


def test_a_message_tells_what_was_read_only_where_a_trace_shows_it() -> None:
    assert "missing: product record." in said(Evidence())
    three = Trace().read(LAMP, "1").read(LAMP_2, "2").read("/proc/articles/VH-LMP-SIX.json", "6")
    assert "VH-LMP-SIX.json)" in said(three.evidence)
    assert "VH-LMP-SIX.json and 1 more)" in said(three.read("/proc/articles/VH-LMP-SIXTY.json", "60").evidence)

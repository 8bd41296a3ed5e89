"""What a rule asks of a submission and of the evidence, seen in what the rules then reject."""

import pytest

from benchmarks.shop import PACK
from benchmarks.shop.language.shop_evidence import asker, stated_yes
from gates import Case, Submission, judge
from gates.types import Evidence
from tests.benchmarks.shop.invented_shop import (
    BASKET,
    CUSTOMER,
    DENIED,
    LAMP,
    LAMP_2,
    OK,
    OWN,
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


def test_a_written_name_that_imitates_a_fragment_is_no_record_that_was_read() -> None:
    submission = Submission(answer="Seen.", outcome=OK, refs=POLICIES)
    read = Trace(CUSTOMER).read(BASKET, OWN)
    assert "named-record" in rejected_by(submission, "What is in basket_0001?", read.evidence)
    written = Trace(CUSTOMER).write(BASKET + "#row=1", OWN)
    assert "named-record" not in rejected_by(submission, "What is in basket_0001?", written.evidence)


@pytest.mark.parametrize(
    "identity", ["user: cust_0001\naccount: a-17", "account: z-17\nuser: cust_0001", "cust_0001, guardian of cust_0009"]
)
def test_the_asker_is_the_first_customer_whom_the_identity_tool_names(identity: str) -> None:
    assert asker(Trace(identity).evidence) == "cust_0001"
    assert asker(Trace("nobody").evidence) == ""


@pytest.mark.parametrize(
    ("answer", "is_yes"),
    [("AYE", True), (" NAY ", False), ("yes", True), ("No.", False), ("AYE, sir", None), ("ayes", None), ("", None)],
)
def test_a_yes_is_the_workspaces_word_or_a_usual_one(answer: str, is_yes: bool | None) -> None:
    rules = "Answer a question of yes or no with `AYE` for yes and `NAY` for no."
    assert stated_yes(Submission(answer=answer, outcome=OK), rules) is is_yes
    assert stated_yes(Submission(answer="AYE", outcome=OK)) is None


def said(evidence: Evidence) -> str:
    submission = Submission(answer="ja", outcome=OK, refs=(STORE,))
    return judge(submission, evidence, Case("Do you have 3 of the lamp?", "", RULES), packs=(PACK,)).message


def test_a_message_tells_what_was_read_only_where_a_trace_shows_it() -> None:
    assert "missing: product record." in said(Evidence())
    three = Trace().read(LAMP, "1").read(LAMP_2, "2").read("/proc/articles/VH-LMP-SIX.json", "6")
    assert "VH-LMP-SIX.json)" in said(three.evidence)
    assert "VH-LMP-SIX.json and 1 more)" in said(three.read("/proc/articles/VH-LMP-SIXTY.json", "60").evidence)

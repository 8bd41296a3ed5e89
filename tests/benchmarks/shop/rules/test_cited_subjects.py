"""What an answer cites, against what was changed and what the request names."""

import pytest

from agent.evidence.evidence_log import EvidenceLog
from gates import Submission
from sandbox.interface import FILE_OPERATIONS, Executable, ExecutableKind, Surface
from tests.benchmarks.shop.invented_shop import (
    ASK,
    BASKET,
    BASKET_2,
    CUSTOMER,
    FOREIGN,
    LAMP,
    OK,
    OWN,
    OWN_2,
    PAYMENT,
    RETURN,
    STAFF,
    STORE,
    UNSUPPORTED,
    Trace,
    rejected_by,
)

CHECKOUT = "/docs/checkout.md"
RULE = "A basket is bought with `/bin/checkout <basket_id>`."
WITH_LAMP = OWN.replace("}", ', "lines": [{"sku": "VH-LMP-ONE", "quantity": 1}]}')
ADD = "One of the lamps for my newest basket, please."
HEAD, TABLE = "/ops/wave-7/wave.md", "/ops/wave-7/lanes.tsv"
OTHERS = FOREIGN.replace("basket_0001", "basket_0002")
NAMES = ("changed-record", "stranger", "source")


def rejections(trace: Trace, instruction: str, answer: str, *refs: str, outcome: str = OK) -> list[str]:
    found = rejected_by(Submission(answer=answer, outcome=outcome, refs=refs), instruction, trace.evidence)
    return [each for each in found if each in NAMES]


@pytest.mark.parametrize(
    ("refs", "is_wrong"),
    [
        ((BASKET, LAMP, CHECKOUT), False),
        ((BASKET, LAMP), True),
        ((BASKET, CHECKOUT), True),
        ((LAMP, CHECKOUT), True),
    ],
)
def test_a_change_rests_on_its_record_its_document_and_what_was_put_in(refs: tuple[str, ...], is_wrong: bool) -> None:
    trace = Trace(CUSTOMER).read(BASKET, OWN).read(LAMP, '{"sku": "VH-LMP-ONE"}').read(CHECKOUT, RULE)
    trace.write(BASKET, WITH_LAMP)
    assert rejections(trace, ADD, "Done: basket_0001 has the lamp.", *refs) == (["changed-record"] if is_wrong else [])


def test_what_a_record_held_before_was_not_put_in() -> None:
    trace = Trace(CUSTOMER).read(BASKET, WITH_LAMP).read(LAMP, "{}").read(CHECKOUT, RULE)
    trace.write(BASKET, WITH_LAMP.replace("active", "abandoned"))
    assert rejections(trace, "Give up basket_0001.", "basket_0001 is abandoned.", BASKET, CHECKOUT) == []


@pytest.mark.parametrize(
    ("instruction", "answer", "identity", "is_wrong"),
    [
        ("On which day were we founded? Answer as YYYY-MM-DD only.", "1998-12-12", CUSTOMER, True),
        ("On which day were we founded? Answer as YYYY-MM-DD only.", "1998-12-12", STAFF, True),
        ("What is in basket_0001?", "A lamp.", STAFF, False),
        ("Which basket waits longest?", "It is basket_0001.", STAFF, False),
        ("How many baskets wait? Answer with the number only.", "1", STAFF, False),
        ("How many euros does cust_0009 owe? Answer with the number only.", "1", STAFF, False),
        ("On which day were we founded? Answer as YYYY-MM-DD only.", "1998-12-12", "", False),
        ("On which day were we founded? As YYYY-MM-DD only. Answer `AYE` or `NAY`.", "AYE", STAFF, False),
    ],
)
def test_a_record_that_nothing_ties_to_the_case_is_not_cited(
    instruction: str, answer: str, identity: str, is_wrong: bool
) -> None:
    trace = Trace(identity).read(BASKET, FOREIGN)
    assert rejections(trace, instruction, answer, BASKET) == (["stranger"] if is_wrong else [])


def test_a_record_that_a_named_one_names_is_no_stranger() -> None:
    trace = Trace(STAFF).read(BASKET, FOREIGN).read(PAYMENT, '{"id": "pay_0001", "basket_id": "basket_0001"}')
    assert rejections(trace, "What is the state of pay_0001?", "It is paid.", PAYMENT, BASKET) == []


def test_beside_a_changed_basket_another_of_the_same_customer_is_a_stranger() -> None:
    trace = Trace(CUSTOMER).read(BASKET, OWN).read(BASKET_2, OWN_2).read(CHECKOUT, RULE)
    assert rejections(trace, "What is in my baskets?", "Nothing.", BASKET, BASKET_2) == []
    trace.write(BASKET, OWN.replace("active", "abandoned"))
    assert rejections(trace, "Give up my older basket.", "Done.", BASKET, BASKET_2, CHECKOUT) == ["stranger"]


@pytest.mark.parametrize(("refs", "is_wrong"), [((HEAD, TABLE), False), ((TABLE,), True), ((HEAD,), True)])
def test_a_file_that_the_request_names_is_cited_with_those_that_it_lists(refs: tuple[str, ...], is_wrong: bool) -> None:
    trace = Trace(STAFF).read(HEAD, f"Rules: /docs/dispatch.md\nLanes: {TABLE}\n").read(TABLE, "lane\n")
    trace.read("/docs/dispatch.md", "rules").read("/ops/wave-8/lanes.tsv", "lane\n")
    assert rejections(trace, f"Plan the wave in {HEAD}.", "{}", *refs) == (["source"] if is_wrong else [])


def test_what_was_only_written_and_what_was_never_read_is_no_source() -> None:
    trace = Trace(STAFF).write("/exports/a.tsv", "x")
    assert rejections(trace, "Copy /uploads/b.txt to /exports/a.tsv.", "/exports/a.tsv") == []


@pytest.mark.parametrize("outcome", [ASK, UNSUPPORTED])
def test_only_an_ok_rests_on_what_was_changed_named_and_tied(outcome: str) -> None:
    trace = Trace(CUSTOMER).read(BASKET, OWN).read(BASKET_2, OTHERS).read(HEAD, "rules").read(CHECKOUT, RULE)
    trace.write(BASKET, OWN.replace("active", "abandoned"))
    assert rejections(trace, f"Plan the wave in {HEAD}.", "No.", BASKET_2, outcome=outcome) == []
    assert rejections(trace, f"Plan the wave in {HEAD}.", "Yes.", BASKET_2) == list(NAMES)


def test_a_document_is_wanted_only_if_it_alone_shows_the_call() -> None:
    trace = Trace(CUSTOMER).read(BASKET, OWN).read("/docs/rules.md", RULE).read(CHECKOUT, RULE)
    trace.write(BASKET, OWN.replace("active", "abandoned"))
    assert rejections(trace, "Give up basket_0001.", "Done.", BASKET) == []
    trace = Trace(CUSTOMER).read(BASKET, OWN).read("/uploads/rules.md", RULE).read("/docs/security.md", "`/bin/id`")
    trace.write(BASKET, OWN.replace("active", "abandoned"))
    assert rejections(trace, "Give up basket_0001.", "Done.", BASKET) == []


def test_a_changed_file_that_is_no_record_wants_no_document() -> None:
    trace = Trace(CUSTOMER).read(CHECKOUT, RULE).write("/exports/a.csv", "SKU")
    assert rejections(trace, "Write an export.", "/exports/a.csv") == []


def test_the_call_of_a_tool_rests_on_the_document_that_shows_it() -> None:
    surface = Surface(
        FILE_OPERATIONS, (Executable("/bin/refund", ExecutableKind.CHANGES),), rules_document="/AGENTS.MD"
    )
    trace = Trace(CUSTOMER)
    trace.evidence_log = EvidenceLog(surface)
    trace.read(RETURN, '{"id": "rma_0001"}').read("/docs/returns.md", "Call `/bin/refund close <id>`.").read(
        CHECKOUT, RULE
    )
    done = {"stdout": "closed", "stderr": "", "exit_code": 0}
    trace.evidence_log.record("exec", {"path": "/bin/refund", "args": ["close", "rma_0001"]}, done, None)
    assert rejections(trace, "Close rma_0001.", "Closed.", RETURN) == ["changed-record"]
    assert rejections(trace, "Close rma_0001.", "Closed.", RETURN, "/docs/returns.md") == []


def test_of_staff_a_named_file_says_what_it_is_about() -> None:
    trace = Trace(STAFF).read(BASKET, FOREIGN).read("/uploads/list.txt", "lines")
    assert rejections(trace, "How much do they wait for?", "Much.", BASKET) == []
    asked = "Sum up /uploads/list.txt in a sentence."
    assert rejections(trace, asked, "It has lines.", BASKET, "/uploads/list.txt") == ["stranger"]


def test_what_was_not_read_as_a_record_is_no_stranger() -> None:
    trace = Trace(STAFF).read(BASKET, "a note").read(LAMP, "{}")
    assert rejections(trace, "On which day? Answer as YYYY-MM-DD only.", "1998-12-12", BASKET, LAMP) == []


def test_so_many_pairs_are_not_looked_through() -> None:
    trace = Trace(STAFF).read(BASKET, FOREIGN)
    names = " ".join(f"cust_{number}" for number in range(1000, 1041))
    assert rejections(trace, f"What of {names}?", "Nothing.", BASKET) == []
    assert rejections(trace, f"What of {names[:-10]}?", "Nothing.", BASKET) == ["stranger"]


def test_documents_records_and_tools_are_no_sources_and_a_source_counts_once() -> None:
    trace = Trace(STAFF).read(CHECKOUT, RULE).read(LAMP, "{}").read(HEAD, f"{HEAD} and {TABLE}").read(TABLE, "lane")
    assert rejections(trace, f"See {CHECKOUT} and {LAMP}.", "Seen.") == []
    found = rejected_by(Submission(answer="{}", outcome=OK, refs=()), f"See {HEAD} and {TABLE}.", trace.evidence)
    assert "source" in found


def test_a_file_that_was_changed_or_never_read_is_no_source_even_if_another_lists_it() -> None:
    other = "/ops/wave-7/plan.tsv"
    trace = Trace(STAFF).read(HEAD, f"{HEAD} lists {TABLE}, {other} and /ops/wave-7/gone.tsv.").read(other, "plan")
    trace.read(TABLE, "lane").write(other, "another plan").write(TABLE, "no lane")
    assert rejections(trace, f"Write the plan of {HEAD} and {TABLE}.", "Done.", HEAD) == []


def test_ones_own_records_are_no_strangers_where_none_was_changed() -> None:
    trace = Trace(CUSTOMER).read(BASKET, OWN)
    assert rejections(trace, "What is in my baskets from store_0007?", "Nothing.", BASKET) == []


def test_of_what_was_put_in_only_products_are_wanted_and_of_changed_records_only_those_of_customers() -> None:
    trace = Trace(CUSTOMER).read(BASKET, OWN).read(STORE, "{}").read(LAMP, "{}").read(CHECKOUT, RULE)
    trace.write(BASKET, OWN.replace("}", ', "store_id": "store_utr_lombok"}')).write(LAMP, '{"price": 7}')
    assert rejections(trace, "Move basket_0001.", "Done.", BASKET, CHECKOUT) == []
    noted = Trace(CUSTOMER).read(CHECKOUT, RULE).write(BASKET, "a note")
    assert rejections(noted, "Write basket_0001.", "Done.", BASKET, CHECKOUT) == []


def test_an_answer_that_is_one_token_is_searched_once() -> None:
    trace = Trace(STAFF).read(BASKET, FOREIGN)
    assert rejections(trace, "What of cust_0042?", "a_" * 10_000, BASKET) == ["stranger"]

"""Function results in an answer, its message, refusals that tell until when."""

import pytest

from agent.exoskeleton import Draft
from benchmarks.shop.answers import (
    Answer,
    Entry,
    apply_results,
    bucket_of,
    final_references,
    formatted_message,
    retry_time,
    reviewed,
    with_cap,
)
from benchmarks.shop.kinds import excluded_codes
from gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.benchmarks.shop.sample_records import CLERK, CUSTOMER, GUEST, sample_records

GOODS, SHOPS = "/proc/products", "/proc/stores"
ANSWER = Answer(OK, "3", "stock_count", ("/docs/a.md",), (f"{GOODS}/OLD-1.json", f"{SHOPS}/s-1.json"))


def test_entries_of_one_bucket_add_up_and_the_last_message_stands():
    entries = [Entry("x", ("/a", "/b"), "one"), Entry("x", ("/b", "/c"), "two"), Entry("x"), Entry("y", ("/d",), "no")]
    assert bucket_of(entries, "x") == Entry("x", ("/a", "/b", "/c"), "two")


def test_computed_records_take_the_place_of_their_kind():
    found = apply_results([Entry("stock_count", (f"{GOODS}/NEW-1.json",), "4")], ANSWER)
    assert (found.message, found.records) == ("3", (f"{SHOPS}/s-1.json", f"{GOODS}/NEW-1.json"))


def test_read_documents_that_fit_the_kind_are_added():
    found = apply_results([Entry("documents", ("/docs/stock.md", "/docs/refunds.md"))], ANSWER)
    assert found.documents == ("/docs/a.md", "/docs/stock.md")


RULES = "Yes/no questions are answered with `ja` or `nein`."


def formatted(message, proposal, outcome=OK, rules=RULES):
    return formatted_message(outcome, message, rules, lambda: proposal)


@pytest.mark.parametrize(
    ("message", "proposal", "after"),
    [
        ("Yes, it is.", "ja", "ja"),
        ("Yes, it is.", "nein", "Yes, it is."),
        ("There are 12 of them.", "12", "12"),
        ("There are 12 of them.", "13", "There are 12 of them."),
        ("There are 12 of them.", "many", "There are 12 of them."),
        ("It is pay-07.", "pay-08", "It is pay-07."),
        ("It is pay-07.", "pay-07", "pay-07"),
        ("It is not there.", "It is there, yes.", "It is not there."),
        ("Fine.", "", "Fine."),
        ("Fine.", "OUTCOME_OK: Good.", "Good."),
    ],
)
def test_a_formatter_changes_the_form_alone(message, proposal, after):
    assert formatted(message, proposal) == after


UNTIL = "2026-01-02T03:04:05Z"


@pytest.mark.parametrize(
    ("outcome", "message", "review", "after"),
    [
        (CLARIFICATION, "Which?", {"paid": True, "message": "It is paid."}, (UNSUPPORTED, "It is paid.")),
        (UNSUPPORTED, "No.", {"paid": True}, (UNSUPPORTED, "No.")),
        (CLARIFICATION, "The retry window is closed.", {}, (UNSUPPORTED, "The retry window is closed.")),
        (OK, "The retry window is closed.", {}, (UNSUPPORTED, "The retry window is closed.")),
        (
            OK,
            "Started again before the window is closed.",
            {},
            (OK, "Started again before the window is closed."),
        ),
        (CLARIFICATION, "Which?", {}, (CLARIFICATION, "Which?")),
        (UNSUPPORTED, "No", {"blocked": True}, (UNSUPPORTED, f"No. It is blocked until {UNTIL}.")),
    ],
)
def test_a_review_turns_an_answer_into_what_holds(outcome, message, review, after):
    found = reviewed(Draft("verification", outcome, message), review, until=UNTIL)
    assert (found.outcome, found.message) == after


@pytest.mark.parametrize(
    ("message", "notes", "said"),
    [
        ("OUTCOME_NONE_UNSUPPORTED", ["the maximum is 10 % here"], "the maximum is 10 % here"),
        ("At most 5 %.", ["the maximum is 10 %"], "At most 5 %."),
        ("Too much.", ["nothing"], "Too much."),
    ],
)
def test_a_bare_refusal_of_a_discount_gets_the_cap_of_the_notes(message, notes, said):
    assert with_cap(Draft("discount", UNSUPPORTED, message, "\n".join(notes))).message == said


FIRST, SECOND = "2026-01-02T03:04:05Z", "2026-05-06T07:08:09Z"


@pytest.mark.parametrize(
    ("document", "ids", "until"),
    [
        (f"pay-1 again from {FIRST}. pay-2 again from {SECOND}.", ["pay-2"], SECOND),
        (f"pay_1: {FIRST}", ["PAY-1"], FIRST),
        (f"pay-1: {FIRST}", ["pay-2"], ""),
        (f"pay-1 is fine.\npay-2: {FIRST}", ["pay-1"], ""),
        (f"Nothing goes before {FIRST}.", ["pay-1"], FIRST),
        ("No time is given for pay-1.", ["pay-1"], ""),
    ],
)
def test_an_instant_belongs_to_the_id_before_it(document, ids, until):
    ids_with_digits = [each.replace("-", "-0") for each in ids]
    assert retry_time(ids_with_digits, document.replace("pay-", "pay-0").replace("pay_", "pay_0")) == until


RED, BLUE = "/proc/goods/TOOL-RED-100-AA.json", "/proc/goods/TOOL-BLU-100-AA.json"
ORDER, OTHERS = "/proc/orders/order-01.json", "/proc/orders/order-04.json"


def kind_at(path):
    return {"orders": "basket", "goods": "product", "pay": "payment"}.get(path.split("/")[2], "")


def refs(records, asker=CUSTOMER, outcome=OK, **more):
    answer = Answer(outcome, documents=("/docs/rules.md",), records=records, **more)
    return final_references(answer, sample_records(), asker, kind_at)[1:]


@pytest.mark.parametrize(
    ("records", "more", "cited"),
    [
        ((ORDER,), {}, [ORDER]),
        ((ORDER, "/proc/none.json"), {}, [ORDER]),
        ((), {"text": "What of order-01?"}, [ORDER]),
        ((), {"text": "What of order-04?"}, []),
        ((), {"text": "How many lines has order-01?", "task_type": "count"}, []),
        ((), {"message": "It is TOOL-RED-100-AA."}, [RED]),
        ((), {"text": "Stock of TOOL-RED-100-AA, not TOOL-BLU-100-AA?", "task_type": "stock_lookup"}, [RED]),
        ((RED, BLUE), {"text": "without TOOL-BLU-100-AA"}, [RED]),
        ((RED,), {"task_type": "product", "message": "No."}, []),
        ((RED,), {"task_type": "product", "message": "Yes."}, [RED]),
        ((ORDER, "/proc/orders/order-02.json"), {"message": "It is order-02."}, ["/proc/orders/order-02.json"]),
        (("/proc/back/ret-01.json",), {"task_type": "refund"}, ["/proc/back/ret-01.json", "/proc/pay/pay-07.json"]),
    ],
)
def test_an_answer_cites_what_it_is_about(records, more, cited):
    assert refs(records, **more) == cited


@pytest.mark.parametrize(
    ("asker", "more"),
    [(CUSTOMER, {"is_protected": True}), (GUEST, {}), (CUSTOMER, {"message": "It is another customer's."})],
)
def test_a_refusal_that_protects_cites_policies_alone(asker, more):
    assert refs((ORDER,), asker, DENIED, **more) == []


def test_a_refusal_of_a_foreign_record_cites_none_of_it():
    assert refs((OTHERS,), CUSTOMER, DENIED) == []
    assert refs((OTHERS,), CLERK, DENIED) == [OTHERS]


@pytest.mark.parametrize(
    "path", ["/proc/people/w-2.json", "/proc/people/W-2.json", "/proc/w-2", "/proc/people/w-2.json#x"]
)
def test_a_branch_is_cited_to_customers_in_place_of_a_person(path):
    assert refs((path,)) == ["/proc/shops/s-2.json"]
    assert refs((path,), CLERK)[0].startswith("/proc/people/w-2.json")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("a lamp, any but AB-CD-1", {"AB-CD-1"}),
        ("a lamp (I don't mean AB-CD-1)", {"AB-CD-1"}),
        ("all except AB-CD-1, AB-CD-2 and AB-CD-3", {"AB-CD-1", "AB-CD-2", "AB-CD-3"}),
        ("AB-CD-2, not AB-CD-1 and AB-CD-3", {"AB-CD-1"}),
        ("leave out AB-CD-1", {"AB-CD-1"}),
        ("is AB-CD-1 not in stock?", set()),
    ],
)
def test_a_request_rules_products_out(text, codes):
    assert excluded_codes(text) == codes

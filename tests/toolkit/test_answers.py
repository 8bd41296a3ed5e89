"""Findings in an answer, its message, refusals that tell until when."""

import pytest

from toolkit.answers import (
    BucketRule,
    Completion,
    Entry,
    RecoveryAnswer,
    Review,
    bucket_of,
    formatted_message,
    retry_time,
    reviewed,
    with_cap,
    with_findings,
)

COMPLETION = Completion("count", "3", ("/docs/a.md",), ("/p/old", "/s/one"))


def kind_of(path):
    return {"p": "product", "s": "shop"}[path[1]]


def apply(rule, *entries, text=""):
    return with_findings(COMPLETION, entries, [rule], text, kind_of)


def test_entries_of_one_bucket_add_up_and_the_last_message_stands():
    entries = [Entry("x", ("/a", "/b"), "one"), Entry("x", ("/b", "/c"), "two"), Entry("x"), Entry("y", ("/d",), "no")]
    assert bucket_of(entries, "x") == Entry("x", ("/a", "/b", "/c"), "two")


def test_computed_records_take_the_place_of_their_kind():
    found = apply(BucketRule("x", replaces=frozenset({"product"})), Entry("x", ("/p/new",)))
    assert found.records == ("/s/one", "/p/new")


def test_a_message_is_given_where_the_request_asks_for_it():
    rule = BucketRule("x", gives_message=lambda text: "total" in text)
    assert apply(rule, Entry("x", message="9"), text="the total").message == "9"
    assert apply(rule, Entry("x", message="9")).message == "3"


def test_documents_are_added_or_cleared():
    assert apply(BucketRule("x", are_documents=True), Entry("x", ("/docs/b.md",))).documents == (
        "/docs/a.md",
        "/docs/b.md",
    )
    assert apply(BucketRule("x", clears_documents=True), Entry("x", ("/p/new",))).documents == ()


RULES = "Yes/no questions are answered with `ja` or `nein`."


def formatted(message, proposal, outcome="OK", rules=RULES):
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
        ("CLARIFY", "Which?", Review(paid=True, message="It is paid."), ("UNSUPPORTED", "It is paid.")),
        ("UNSUPPORTED", "No.", Review(paid=True), ("UNSUPPORTED", "No.")),
        ("CLARIFY", "The retry window is closed.", Review(), ("UNSUPPORTED", "The retry window is closed.")),
        ("OK", "The retry window is closed.", Review(), ("UNSUPPORTED", "The retry window is closed.")),
        (
            "OK",
            "Started again before the window is closed.",
            Review(),
            ("OK", "Started again before the window is closed."),
        ),
        ("CLARIFY", "Which?", Review(), ("CLARIFY", "Which?")),
        ("UNSUPPORTED", "No", Review(blocked=True), ("UNSUPPORTED", f"No. It is blocked until {UNTIL}.")),
    ],
)
def test_a_review_turns_an_answer_into_what_holds(outcome, message, review, after):
    found = reviewed(RecoveryAnswer(outcome, message), review, until=UNTIL)
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
    assert with_cap(RecoveryAnswer("UNSUPPORTED", message), notes).message == said


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

"""Kinds of record by path, ids in texts, and what a trial shows."""

import pytest

from benchmarks.shop.kinds import (
    Kind,
    asker_is_staff,
    belongs_to_asker,
    can_be_cited,
    kind_of,
    named_ids,
    read_records,
    reasons_mention,
    skus_in,
    stated_number,
    stated_yes,
    temporary_folder,
)
from gates.submission import Submission
from tests.benchmarks.shop.invented_shop import BASKET, CUSTOMER, FOREIGN, LAMP, OK, OWN, STAFF, STORE, Trace


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/proc/catalogue/Tarn/VH-1.json", Kind.PRODUCT),
        ("/proc/assortment/a/b/c/VH-1.json", Kind.PRODUCT),
        ("/proc/outlets/1012/store_a.json", Kind.BRANCH),
        ("/proc/orders/open/basket_1.json", Kind.BASKET),
        ("/proc/checkout/payments/store_a/pay_1.json", Kind.PAYMENT),
        ("/proc/payments-2031/cust_1/pay_1.json", Kind.PAYMENT),
        ("/proc/settlements/store_a/pay_1.json", Kind.PAYMENT),
        ("/proc/return-workflows/cust_1/return_1.json", Kind.RETURN),
        ("/proc/employees/emp_1.json", Kind.EMPLOYEE),
        ("/storage/aa/receipt.txt#3", Kind.UPLOAD),
        ("/proc/shopping/basket_1.json", Kind.BASKET),
        ("/proc/cash/pay-0001.json", Kind.PAYMENT),
        ("/proc/refunds/return-0001.json#status", Kind.RETURN),
        ("/proc/people/a/emp-0001.json", Kind.EMPLOYEE),
        ("/proc/shops/store-ede.json", Kind.BRANCH),
        ("/proc/items/VH-LMP-ONE.json", Kind.PRODUCT),
        ("/proc/stores/store_a/staff/emp_1.json", Kind.EMPLOYEE),
        ("/proc/outlets/ede/a.json", Kind.BRANCH),
        ("/proc/people/cust-0001.json", None),
        ("/proc/notes/README.md", None),
        ("/tmp/basket_1.json", None),
        ("/docs/returns.md", None),
        ("/bin/id", None),
        ("/proc", None),
    ],
)
def test_the_kind_of_a_record_is_known_in_every_layout(path: str, kind: Kind | None) -> None:
    assert kind_of(path) is kind


def test_ids_and_skus_are_found_in_a_request() -> None:
    assert named_ids("basket-0007, payment_12 and basket-0007, not a-7") == ("basket-0007", "payment_12")
    assert skus_in("DD-MM-YYYY") == []
    assert skus_in("VH-LMP-ONE or PT-SAW-2 but not A-1 or UTF-8") == ["VH-LMP-ONE", "PT-SAW-2"]


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("Empty /tmp/cleanup-1.", "/tmp/cleanup-1"),
        ("Empty /tmp/a/b, all of /tmp/a/b.", "/tmp/a/b"),
        ("Delete /tmp/a.txt.", ""),
        ("Empty /tmp/a and /tmp/b.", ""),
        ("Empty /var/a.", ""),
    ],
)
def test_a_temporary_folder_is_the_only_one_that_is_named(text: str, folder: str) -> None:
    assert temporary_folder(text) == folder


@pytest.mark.parametrize(
    ("answer", "is_yes"),
    [("AYE", True), (" NAY ", False), ("yes", True), ("No.", False), ("AYE, sir", None), ("ayes", None), ("", None)],
)
def test_a_yes_is_the_workspaces_word_or_a_usual_one(answer: str, is_yes: bool | None) -> None:
    rules = "Answer a question of yes or no with `AYE` for yes and `NAY` for no."
    assert stated_yes(Submission(answer=answer, outcome=OK), rules) is is_yes
    assert stated_yes(Submission(answer="AYE", outcome=OK)) is None


@pytest.mark.parametrize(
    ("answer", "number"),
    [("7", 7), ("<COUNT:7>", 7), (" 7 of them.", 7), ("7 of 9", None), ("seven", None), ("1.5", None)],
)
def test_the_one_number_of_an_answer_is_stated(answer: str, number: int | None) -> None:
    assert stated_number(Submission(answer=answer, outcome=OK)) == number


def test_a_reason_mentions_a_word_of_its_own() -> None:
    submission = Submission(refs_why={LAMP: "the only lamp", STORE: 7})
    assert reasons_mention(submission, "only|single")
    assert not reasons_mention(submission, "lonely|on")
    assert not reasons_mention(Submission(refs_why="only"), "only")


@pytest.mark.parametrize(("who", "is_staff"), [(STAFF, True), (CUSTOMER, False), ("", False)])
def test_the_identity_tool_tells_staff(who: str, is_staff: bool) -> None:
    assert asker_is_staff(Trace(who).evidence) is is_staff


@pytest.mark.parametrize(
    ("who", "record", "is_own"),
    [
        (CUSTOMER, OWN, True),
        (CUSTOMER, OWN.replace(" ", ""), True),
        (CUSTOMER, FOREIGN, False),
        ("", OWN, False),
        (CUSTOMER, '{"customer_id": ""}', False),
    ],
)
def test_a_record_is_the_askers_if_it_names_them(who: str, record: str, is_own: bool) -> None:
    assert belongs_to_asker(Trace(who).read(BASKET, record).evidence, BASKET) is is_own


def test_a_written_name_that_imitates_a_fragment_is_not_a_record_that_was_read() -> None:
    assert read_records(Trace(CUSTOMER).write(BASKET + "#row=1", OWN).evidence, Kind.BASKET) == {}


def test_a_kind_can_be_cited_if_one_was_read_or_nothing_was() -> None:
    assert can_be_cited(Kind.BASKET, Trace().evidence)
    assert can_be_cited(Kind.BASKET, Trace().read(BASKET, OWN).evidence)
    assert not can_be_cited(Kind.BASKET, Trace().read(LAMP, "{}").evidence)

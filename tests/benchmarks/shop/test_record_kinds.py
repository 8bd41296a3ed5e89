"""Kinds of record by path, ids in texts, and what a trial shows."""

import pytest

from benchmarks.shop import kinds
from benchmarks.shop.kinds import (
    Kind,
    can_be_cited,
    kind_of,
    temporary_folder,
)
from tests.benchmarks.shop.invented_shop import BASKET, LAMP, OWN, Trace


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


def test_a_kind_can_be_cited_if_one_was_read_or_nothing_was() -> None:
    assert can_be_cited(Kind.BASKET, Trace().evidence)
    assert can_be_cited(Kind.BASKET, Trace().read(BASKET, OWN).evidence)
    assert not can_be_cited(Kind.BASKET, Trace().read(LAMP, "{}").evidence)


LONG = " The lamps of my aunt are all of brass and need new bulbs every year." * 12


@pytest.mark.parametrize("before", ["", LONG[1:] + " "])
@pytest.mark.parametrize("after", ["", LONG])
def test_a_negation_in_its_clause_takes_a_deed_back_wherever_it_stands(before: str, after: str) -> None:
    assert kinds.DISCOUNT.find(f"{before}I want a discount.{after}")
    assert not kinds.DISCOUNT.find(f"{before}I do not want a discount.{after}")


ASKED_ABOUT = [
    (kinds.DISCOUNT, "Do I get a discount if I buy many?"),
    (kinds.DISCOUNT, "Who may apply a discount?"),
    (kinds.REFUND, "How do I get a refund?"),
    (kinds.VERIFICATION, "Please explain how a 3DS recovery is restarted."),
    (kinds.VERIFICATION, "Does the policy let me have the card verification restarted?"),
    (kinds.CHECKOUT, "How do I complete my order?"),
    (kinds.CHECKOUT, "What does it take to check out my basket?"),
    (kinds.CHECKOUT, "Could I check out basket_0001 today? Just tell me."),
    (kinds.EXPORT, "Who may create an inventory export?"),
]


@pytest.mark.parametrize(("kind", "text"), ASKED_ABOUT)
def test_who_asks_how_or_whether_it_is_done_orders_nothing(kind: kinds.RequestKind, text: str) -> None:
    assert not kind.find(text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (kinds.DISCOUNT, "Can you put a 5% discount on basket_0001?"),
        (kinds.DISCOUNT, "How does it work? Please apply a 5% discount to basket_0001."),
        (kinds.CHECKOUT, "Would you please check out my basket?"),
        (kinds.VERIFICATION, "My basket got stuck at card verification. Can you fix it so that I can finish?"),
        (kinds.STAFF_CONTACT, "Who is the manager of Lombok, and what is their e-mail address?"),
        (kinds.STAFF_CONTACT, "How can I get Ada's work e-mail?"),
    ],
)
def test_a_polite_order_is_one_and_so_is_the_question_for_what_is_to_be_told(
    kind: kinds.RequestKind, text: str
) -> None:
    assert kind.find(text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (kinds.STOCK_OF_ONE, "Compare the two lamps at Lombok: do you have 2 of each?"),
        (kinds.STOCK_OF_ONE, "Do you have 2 of the lamp and 3 of the tent at Lombok?"),
        (kinds.STAFF_CONTACT, "Please send an e-mail to our store manager."),
        (kinds.BUY_AGAIN, "I lost my receipt. Can I get a copy?"),
        (kinds.STAFF_COUNT, "How many people founded the shop?"),
    ],
)
def test_a_like_question_is_of_no_kind(kind: kinds.RequestKind, text: str) -> None:
    assert not kind.find(text)


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
def test_a_request_rules_products_out(text: str, codes: set[str]) -> None:
    assert kinds.excluded_codes(text) == codes

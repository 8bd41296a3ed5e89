"""Kinds of record by path, ids in texts, and what a trial shows."""

import pytest

from benchmarks.shop.kinds import (
    Kind,
    belongs_to_asker,
    can_be_cited,
    kind_of,
    temporary_folder,
)
from tests.benchmarks.shop.invented_shop import BASKET, CUSTOMER, FOREIGN, LAMP, OWN, Trace


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


def test_a_kind_can_be_cited_if_one_was_read_or_nothing_was() -> None:
    assert can_be_cited(Kind.BASKET, Trace().evidence)
    assert can_be_cited(Kind.BASKET, Trace().read(BASKET, OWN).evidence)
    assert not can_be_cited(Kind.BASKET, Trace().read(LAMP, "{}").evidence)

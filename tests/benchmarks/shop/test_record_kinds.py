"""Kinds of records, and ids in requests."""

import pytest

from benchmarks.shop.record_kinds import Kind, kind_of, named_ids, skus_in, temporary_folder


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/proc/catalogue/Tarn/VH-1.json", Kind.PRODUCT),
        ("/proc/assortment/a/b/c/VH-1.json", Kind.PRODUCT),
        ("/proc/outlets/1012/store_a.json", Kind.STORE),
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
        ("/proc/shops/store-ede.json", Kind.STORE),
        ("/proc/items/VH-LMP-ONE.json", Kind.PRODUCT),
        ("/proc/stores/store_a/staff/emp_1.json", Kind.EMPLOYEE),
        ("/proc/outlets/ede/a.json", Kind.STORE),
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
    assert named_ids("basket-0007, payment_12 and basket-0007, not a-7") == ["basket-0007", "payment_12"]
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

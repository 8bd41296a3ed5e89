import pytest

from tests.toolkit.sample_records import CLERK, CUSTOMER, GUEST, sample_records
from toolkit.records import ChoiceKind, choose_record, linked_paths, named_records, repaired_paths


@pytest.mark.parametrize(
    ("asker", "text", "ends"),
    [
        (CUSTOMER, "What of order-01?", ["order-01"]),
        (CUSTOMER, "Is Order 1 or order02 paid?", ["order-01", "order-02"]),
        (CUSTOMER, "order-04 please", []),
        (CLERK, "order-04 please", ["order-04"]),
        (GUEST, "order-01", []),
        (CUSTOMER, "/proc/orders/order-01.json, order-0, reorder-01, order-011", []),
    ],
)
def test_a_text_names_records_that_its_asker_may_see(asker, text, ends):
    assert [path.rsplit("/", 1)[1][:-5] for path in named_records(sample_records(), asker, text)] == ends


@pytest.mark.parametrize(
    ("path", "repaired"),
    [
        ("/proc/orders/order-01.json", ["/proc/orders/order-01.json"]),
        ("/proc/orders/ORDER-01.json#line=2", ["/proc/orders/order-01.json#line=2"]),
        ("/proc/orders/order-01", ["/proc/orders/order-01.json"]),
        ("/proc/elsewhere/order_01.json", ["/proc/orders/order-01.json"]),
        ("/docs/Rules.md", ["/docs/rules.md"]),
        ("/other/rules.md", []),
        ("/proc/orders/order-99.json", []),
    ],
)
def test_a_path_that_is_almost_right_is_repaired(path, repaired):
    assert repaired_paths(sample_records(), [path]) == repaired


def test_a_link_leads_to_the_record_it_names():
    assert linked_paths(sample_records(), ["/proc/back/ret-01.json"], key="payment_id") == ["/proc/pay/pay-07.json"]


@pytest.mark.parametrize(
    ("selector", "kind", "ids"),
    [
        ("", ChoiceKind.ASK, ["order-02", "order-01"]),
        ("newest", ChoiceKind.SELECTED, ["order-02"]),
        ("oldest", ChoiceKind.SELECTED, ["order-01"]),
    ],
)
def test_several_open_records_of_the_askers_own_are_a_question(selector, kind, ids):
    found = choose_record(sample_records(), CUSTOMER, kind="order", selector=selector)
    assert (found.kind, [each.id for each in found.records]) == (kind, ids)
    assert choose_record(sample_records(), CLERK, kind="order").kind is ChoiceKind.NONE

"""Records: how they are found, who owns them, who asks, who works where."""

import pytest

from benchmarks.shop.records import (
    Identity,
    Record,
    RecordKeys,
    branches,
    choose_record,
    named_records,
    open_records,
    read_identity,
    record_called,
    repaired_paths,
    role_holders,
)
from tests.benchmarks.shop.sample_records import CLERK, CUSTOMER, GUEST, sample_records


def test_a_record_is_found_however_its_id_is_written():
    assert sample_records().record("Order_01").path == "/proc/orders/order-01.json"
    assert sample_records().record("order-1") is None


@pytest.mark.parametrize("key", ["customer_id", "owner", "buyer_ref", "client_id"])
def test_an_owner_is_told_by_the_fields_name(key):
    records = sample_records(**{"/proc/x/a-1.json": {"id": "a-1", key: "c-9", "customer_note": "no owner"}})
    assert records.record("a-1").owner == "c-9"


@pytest.mark.parametrize("words", ["c-1", "C_1", "c1"])
def test_records_are_found_by_what_they_hold(words):
    found = [each.id for each in sample_records().holding(words)]
    assert found == ([] if words == "c1" else ["ret-01", "order-01", "order-02", "order-03", "pay-07", "pay-08"])


LEARNED = RecordKeys(owner=("shopper",), state=("standing",), time=("since",), name=("called",), roles=("duties",))


@pytest.mark.parametrize(
    ("data", "name", "value"),
    [
        ({"shopper": "c-1", "customer_id": "c-2"}, "owner", "c-1"),
        ({"standing": "open"}, "state", "open"),
        ({"status": "open"}, "state", ""),
        ({"since": "2027-01-04"}, "time", "2027-01-04"),
        ({"called": "Ada", "name": "no"}, "name", "Ada"),
        ({"duties": ["lead"]}, "roles", frozenset({"lead"})),
        ({"duties": "lead"}, "roles", frozenset()),
        ({"id": "x-1"}, "id", "x-1"),
        ({"id": 17}, "id", "a-1"),
    ],
)
def test_fields_go_by_the_names_that_were_learned(data, name, value):
    assert getattr(Record("/proc/x/a-1.json", data, LEARNED), name) == value


@pytest.mark.parametrize(
    ("text", "user", "roles"),
    [
        ("user: c-1\nroles: customer\n", "c-1", {"customer"}),
        ("roles: [Clerk, lead]\nuser: w-1", "w-1", {"clerk", "lead"}),
        ("User=guest\nRole=guest", "guest", {"guest"}),
        ("nobody is signed in", "", set()),
    ],
)
def test_the_output_of_the_identity_tool_is_read(text, user, roles):
    assert read_identity(text) == Identity(user, frozenset(roles))


@pytest.mark.parametrize(
    ("roles", "customer", "outside"),
    [
        ({"customer"}, True, True),
        ({"guest"}, False, True),
        ({"customer", "clerk"}, False, False),
        (set(), False, False),
    ],
)
def test_roles_alone_say_who_somebody_is(roles, customer, outside):
    found = Identity("emp-1", frozenset(roles))
    assert (found.is_customer, found.is_outside) == (customer, outside)


@pytest.mark.parametrize(
    ("roles", "owner", "allowed"),
    [
        ({"customer"}, "C_1", True),
        ({"customer"}, "c-2", False),
        ({"guest"}, "c-1", False),
        ({"guest"}, "", True),
        ({"clerk"}, "c-2", True),
        (set(), "c-1", False),
    ],
)
def test_records_are_shown_to_their_owner_and_to_staff(roles, owner, allowed):
    assert Identity("c-1", frozenset(roles)).may_cite(owner) is allowed


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


@pytest.mark.parametrize(
    ("role", "branch", "count", "cited"),
    [
        ("Clerk", "", 2, 2),
        ("clerk", "Mill Lane", 1, 2),
        ("clerk", "Lane", 1, 2),
        ("lead", "Mill Lane", 0, 1),
        ("pilot", "", 0, 0),
    ],
)
def test_people_with_a_role_are_counted_and_cited(role, branch, count, cited):
    records = sample_records()
    found = role_holders(records, role, record_called(branches(records), branch) if branch else None)
    assert (found.value, len(found.refs)) == (count, cited)


@pytest.mark.parametrize(
    ("asker", "selector", "ids"),
    [
        (CUSTOMER, "newest", ["order-02"]),
        (CUSTOMER, "oldest", ["order-01"]),
        (CUSTOMER, "", ["order-02", "order-01"]),
        (GUEST, "newest", []),
        (CLERK, "", []),
    ],
)
def test_one_of_several_open_records_is_selected_or_all_are_asked_about(asker, selector, ids):
    found = choose_record(open_records(sample_records(), asker, {"active", "open"}), selector)
    assert [record.id for record in found if record.id.startswith("order")] == ids

import pytest

from tests.toolkit.sample_records import sample_records


def test_a_record_is_found_however_its_id_is_written():
    assert sample_records().record("Order_01").path == "/proc/orders/order-01.json"
    assert sample_records().record("order-1") is None


def test_two_files_of_one_id_are_no_record():
    records = sample_records(**{"/proc/old/order-01.json": {"id": "order-01"}})
    assert records.path_of("order-01") is None


def test_what_holds_no_mapping_is_no_record():
    records = sample_records(**{"/proc/x/list.json": "[1]"})
    assert {each.path for each in records.all} & {
        "/proc/broken/x-1.json",
        "/proc/x/list.json",
        "/docs/rules.md",
    } == set()


@pytest.mark.parametrize("key", ["customer_id", "owner", "buyer_ref", "client_id"])
def test_an_owner_is_told_by_the_fields_name(key):
    records = sample_records(**{"/proc/x/a-1.json": {"id": "a-1", key: "c-9", "customer_note": "no owner"}})
    assert records.record("a-1").owner == "c-9"


def test_each_file_is_read_once_for_all_records():
    records = sample_records()
    assert records.all is records.all
    assert [each.path for each in records.all] == sorted(each.path for each in records.all)

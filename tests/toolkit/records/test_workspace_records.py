import pytest

from tests.support.files_reader import FilesReader
from tests.toolkit.sample_records import FILES, sample_records
from toolkit import CannotRead
from toolkit.records import RecordKeys, WorkspaceRecords
from toolkit.records.workspace_records import MOST_READ


def test_a_record_is_found_however_its_id_is_written():
    assert sample_records().record("Order_01").path == "/proc/orders/order-01.json"
    assert sample_records().record("order-1") is None


def test_two_files_of_one_id_are_no_record():
    records = sample_records(**{"/proc/old/order-01.json": {"id": "order-01"}})
    assert records.path_of("order-01") is None


@pytest.mark.parametrize("path", ["/proc/broken/x-1.json", "/proc/x/list.json", "/docs/rules.md", "/proc/none.json"])
def test_what_holds_no_mapping_is_no_record(path):
    assert sample_records(**{"/proc/x/list.json": "[1]"}).at(path) is None


@pytest.mark.parametrize("key", ["customer_id", "owner", "buyer_ref", "client_id"])
def test_an_owner_is_told_by_the_fields_name(key):
    records = sample_records(**{"/proc/x/a-1.json": {"id": "a-1", key: "c-9", "customer_note": "no owner"}})
    assert records.record("a-1").owner == "c-9"


def test_an_owner_is_told_by_the_fields_learned_name():
    records = sample_records(keys=RecordKeys(owner=("shopper",)), **{"/proc/x/a-1.json": {"shopper": "c-9"}})
    assert records.record("a-1").owner == "c-9"
    assert records.record("order-01").owner == ""


@pytest.mark.parametrize("words", ["c-1", "C_1", "c1"])
def test_records_are_found_by_what_they_hold(words):
    found = [each.id for each in sample_records().holding(words)]
    assert found == ([] if words == "c1" else ["ret-01", "order-01", "order-02", "order-03", "pay-07", "pay-08"])


def test_only_what_holds_the_words_is_read():
    records, read = sample_records(), []
    reader = records._reader
    reader_all = reader.read_all
    reader.read_all = lambda paths: read.extend(paths) or reader_all(paths)
    records.holding("c-2")
    assert read == ["/proc/orders/order-04.json"]


class CutOff(FilesReader):
    def search(self, pattern, root):
        msg = "cut off"
        raise CannotRead(msg)


def test_a_search_that_is_cut_off_is_replaced_by_reading_one_group_alone():
    records = WorkspaceRecords(CutOff(FILES))
    group = next(each for each in records.groups if each.prefix == "order")
    assert len(records.holding("c-2", group)) == 4
    with pytest.raises(CannotRead, match="cut off"):
        records.holding("c-2")


def test_a_group_too_large_is_not_read():
    many = {f"/proc/many/m-{number}.json": {"id": f"m-{number}"} for number in range(MOST_READ + 1)}
    with pytest.raises(CannotRead, match="more than"):
        sample_records(**many).in_groups(lambda each: each.id == "m-0")

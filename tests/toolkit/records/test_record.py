import pytest

from toolkit.records import Record, RecordKeys

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

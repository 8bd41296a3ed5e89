"""The scratchpad's values, as tagged JSON and back."""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.interface.script_values import Damaged, NotKept, decode, encode, flatten

ATOMS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.dates()
    | st.datetimes(timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=-3))]))
    | st.times()
    | st.timedeltas()
    | st.decimals(allow_nan=False)
)
HASHABLE = ATOMS | st.tuples(ATOMS, ATOMS)
VALUES = st.recursive(
    ATOMS | st.sets(HASHABLE, max_size=4) | st.frozensets(HASHABLE, max_size=4),
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(st.text(max_size=4) | st.just("$") | st.integers(), below, max_size=4)
        | st.tuples(below, below)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_an_encoded_value_comes_back_and_is_json(value):
    tagged = encode(value)
    again = decode(json.loads(json.dumps(tagged, allow_nan=False)))
    assert again == value
    assert type(again) is type(value)
    assert encode(again) == tagged


@pytest.mark.parametrize(
    ("value", "flat"),
    [
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "2026-01-02T03:04:00+00:00"),
        (datetime(2026, 7, 2, 3, tzinfo=ZoneInfo("Europe/Vienna")), "2026-07-02T03:00:00+02:00"),
        (time(9, 30), "09:30:00"),
        (timedelta(days=1, hours=2), "1 day, 2:00:00"),
        (Decimal("1.50"), "1.50"),
        ((1, (2, 3)), [1, [2, 3]]),
        ({3, 1, 2}, [1, 2, 3]),
        ({"b", "a", None}, [None, "a", "b"]),
        ({10, 9, 2.5}, [2.5, 9, 10]),
        ({1: "a", (1, 2): "b", None: "c"}, {"1": "a", "[1, 2]": "b", "None": "c"}),
        ({"$": 1}, {"$": 1}),
        (float("inf"), "inf"),
    ],
)
def test_each_kept_type_has_a_flat_form(value, flat):
    assert flatten(encode(value)) == flat


def test_a_dataclass_is_kept_as_its_fields():
    @dataclass
    class Line:
        sku: str
        when: date

    assert decode(encode([Line("x", date(2026, 1, 1))])) == [{"sku": "x", "when": date(2026, 1, 1)}]


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (object(), r"scratchpad is of type object"),
        ({"k": [1, {2: print}]}, r"scratchpad\['k'\]\[1\]\[2\] is of type builtin_function_or_method"),
        ({"k": 1j}, r"scratchpad\['k'\] is of type complex"),
        ({"k": b"x"}, r"scratchpad\['k'\] is of type bytes"),
        ({"k": 1 << 20_000}, r"scratchpad\['k'\] is an integer of 20001 bits"),
        ({"k": {"x": type}}, r"scratchpad\['k'\]\['x'\] is of type type"),
    ],
)
def test_a_value_that_cannot_be_kept_is_named_with_its_place(value, place):
    with pytest.raises(NotKept, match=place):
        encode(value)


def test_a_value_that_holds_itself_is_refused():
    value: list = []
    value.append(value)
    with pytest.raises(NotKept, match="holds itself"):
        encode(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from(["$", "v", "zone", "fold", "a"]), below, max_size=4)
        | st.fixed_dictionaries(
            {
                "$": st.sampled_from(["date", "datetime", "set", "dict", "tuple", "decimal", "float", "time", "x"]),
                "v": below,
            }
        )
    ),
    max_leaves=10,
)


@given(JSON)
def test_a_hostile_scratchpad_is_json_or_damaged(tagged):
    try:
        flat = flatten(tagged)
    except Damaged:
        return
    json.dumps(flat, allow_nan=False)

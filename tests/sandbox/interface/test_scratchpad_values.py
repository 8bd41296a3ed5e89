"""The scratchpad's values, as tagged JSON and back."""

import json
from dataclasses import dataclass
from datetime import UTC, date, timedelta, timezone

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

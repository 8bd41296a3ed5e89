"""Values of the scratchpad, which are encoded as JSON between the steps of a trial.

A date in Python is a date again in the next step, and sets, tuples, decimals and others likewise:

    encode(date(2026, 1, 1)) -> {"$": "date", "v": "2026-01-01"}
    decode({"$": "date", "v": "2026-01-01"}) -> date(2026, 1, 1)
"""

import json
from dataclasses import dataclass
from datetime import UTC, date, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.sandbox.child.step.scratchpad.decoded_values import decode
from controlplane.sandbox.child.step.scratchpad.encoded_values import encode
from controlplane.sandbox.interface.messages.tagged_values import (
    Damaged,
    NotKept,
    flatten,
)

# Random values that a script may keep in its scratchpad: `SCRATCHPAD_VALUES`, made of the others.
TIME_ZONES = st.sampled_from([None, UTC, timezone(timedelta(hours=-3))])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.dates()
    | st.datetimes(timezones=TIME_ZONES)
    | st.times()
    | st.timedeltas()
    | st.decimals(allow_nan=False)
)
HASHABLE_VALUES = SCALARS | st.tuples(SCALARS, SCALARS)
SETS = st.sets(HASHABLE_VALUES, max_size=4) | st.frozensets(HASHABLE_VALUES, max_size=4)
# The key "$" marks an encoded value; a script may use it for its own values, too.
KEYS = st.text(max_size=4) | st.just("$") | st.integers()


def containers_of(values):
    """Return random lists, mappings and tuples that have these values in them."""
    return (
        st.lists(values, max_size=4)
        | st.dictionaries(KEYS, values, max_size=4)
        | st.tuples(values, values)
    )


SCRATCHPAD_VALUES = st.recursive(SCALARS | SETS, containers_of, max_leaves=12)
"""Such as `[{"a": date(2026, 1, 1)}, (1, {2, 3})]`."""


class TestKeptValues:
    """A value is the same in the next step, although it is kept as JSON.

    `encode` makes JSON of a value when a step ends, and `decode` the value again when the next
    step begins. The script's own classes are gone by then.
    """

    @given(SCRATCHPAD_VALUES)
    def test_an_encoded_value_is_json_and_decodes_to_the_same_value(self, value):
        """Hypothesis makes values such as `[{"a": date(2026, 1, 1)}, (1, {2, 3})]`."""
        encoded = encode(value)
        decoded = decode(json.loads(json.dumps(encoded, allow_nan=False)))

        assert decoded == value
        assert type(decoded) is type(value)
        assert encode(decoded) == encoded

    def test_a_dataclass_is_kept_as_a_mapping_of_its_fields(self):
        """The class itself is gone in the next step, as it belongs to the script."""

        @dataclass
        class Line:
            sku: str
            when: date

        decoded = decode(encode([Line("x", date(2026, 1, 1))]))

        assert decoded == [{"sku": "x", "when": date(2026, 1, 1)}]


class TestValuesThatCannotBeKept:
    """The error of a value that cannot be kept says where it is.

    JSON has no functions, bytes or complex numbers, and no list that contains itself. The model
    finds the value in a large scratchpad by the message.
    """

    @pytest.mark.parametrize(
        ("value", "error"),
        [
            (object(), r"scratchpad is of type object"),
            (
                {"k": [1, {"f": print}]},
                r"scratchpad\['k'\]\[1\]\['f'\] is of type builtin_function_or_method",
            ),
            ({"k": {2: print}}, r"scratchpad\['k'\]\[2\] is of type builtin_function"),
            ({"k": 1j}, r"scratchpad\['k'\] is of type complex"),
            ({"k": b"x"}, r"scratchpad\['k'\] is of type bytes"),
            ({"k": 2**20_000}, r"scratchpad\['k'\] is an integer of 20001 bits"),
            ({"k": {"x": type}}, r"scratchpad\['k'\]\['x'\] is of type type"),
        ],
    )
    def test_the_error_of_a_value_that_cannot_be_kept_says_where_it_is(
        self, value, error
    ):
        """The model should find the value in a large scratchpad."""
        with pytest.raises(NotKept, match=error):
            encode(value)

    def test_a_list_that_contains_itself_cannot_be_kept(self):
        value: list = []
        value.append(value)

        with pytest.raises(NotKept, match="holds itself"):
            encode(value)


# Random scratchpads that no sandbox made: `FORGED_SCRATCHPADS`, made of the others.
TAGS = st.sampled_from(
    ["date", "datetime", "set", "dict", "tuple", "decimal", "float", "time", "x"]
)


def almost_encoded(values):
    """Return random lists and mappings that look like encoded values: `{"$": "date", "v": [7]}`."""
    return (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$", "v", "zone", "fold", "a"]), values, max_size=4
        )
        | st.fixed_dictionaries({"$": TAGS, "v": values})
    )


FORGED_SCRATCHPADS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    almost_encoded,
    max_leaves=10,
)
"""Such as `{"$": "set", "v": [{"$": "date", "zone": 5}]}`."""


class TestForgedScratchpads:
    """A hostile script may send the parent a scratchpad that no sandbox made.

    `flatten` makes of encoded values the plain JSON that users see: a date becomes a text, a set
    a list. It raises `Damaged` if a value is not as `encode` makes it.
    """

    @given(FORGED_SCRATCHPADS)
    def test_a_forged_scratchpad_becomes_json_or_is_reported_as_damaged(self, encoded):
        try:
            flat = flatten(encoded)
        except Damaged:
            return
        json.dumps(flat, allow_nan=False)

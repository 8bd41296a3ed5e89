"""A value of the scratchpad is the same in the next step of a trial, although it is kept as JSON.

A script keeps values in its scratchpad. A date is a date again in the next step, and sets, tuples,
decimals and others likewise:

    encode(date(2026, 1, 1)) -> {"$": "date", "v": "2026-01-01"}
    decode({"$": "date", "v": "2026-01-01"}) -> date(2026, 1, 1)
"""

import json
from dataclasses import dataclass
from datetime import date

from hypothesis import given

from controlplane.sandbox.child.step.dialogue import decode
from controlplane.sandbox.child.step.scratchpad import encode
from tests.sandbox.interface.scratchpad_values.random_values import SCRATCHPAD_VALUES


@given(SCRATCHPAD_VALUES)
def test_an_encoded_value_is_json_and_decodes_to_the_same_value(value):
    """Hypothesis makes values such as `[{"a": date(2026, 1, 1)}, (1, {2, 3})]`."""
    encoded = encode(value)
    decoded = decode(json.loads(json.dumps(encoded, allow_nan=False)))

    assert decoded == value
    assert type(decoded) is type(value)
    assert encode(decoded) == encoded


def test_a_dataclass_is_kept_as_a_mapping_of_its_fields():
    """The class itself is gone in the next step, as it belongs to the script."""

    @dataclass
    class Line:
        sku: str
        when: date

    decoded = decode(encode([Line("x", date(2026, 1, 1))]))

    assert decoded == [{"sku": "x", "when": date(2026, 1, 1)}]

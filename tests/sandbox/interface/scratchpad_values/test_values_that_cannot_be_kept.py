"""The error of a value that the scratchpad cannot keep says where it is.

A script keeps values in its scratchpad, which is sent as JSON. JSON has no functions, bytes or
complex numbers: "scratchpad['k'][1]['f'] is of type builtin_function_or_method". The model finds
the value by it.
"""

import pytest

from controlplane.sandbox.child.step.scratchpad import encode
from controlplane.sandbox.interface.messages.tagged_values import NotKept


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
def test_the_error_of_a_value_that_cannot_be_kept_says_where_it_is(value, error):
    with pytest.raises(NotKept, match=error):
        encode(value)


def test_a_list_that_contains_itself_cannot_be_kept():
    value: list = []
    value.append(value)

    with pytest.raises(NotKept, match="holds itself"):
        encode(value)

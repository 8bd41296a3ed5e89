"""Unusual values are checked against JSON schemas, and values against unusual schemas.

`schema_fault(7, {"type": "string"})` is " is str, not int 7", which says that the value should be a
text and is the number 7. A caller puts the name of the value before it: "title is str, not int 7".
The fault is empty if the value fits, or if the schema itself is wrong.
"""

from typing import Any

import pytest

from controlplane.sandbox.interface import schema_fault


@pytest.mark.parametrize(
    ("value", "schema", "fault"),
    [
        pytest.param(
            [True],
            {"const": [1]},
            " is [1], not list",  # It should be the list [1], and is another list.
            id="true is not the number 1, although Python calls them equal",
        ),
        pytest.param(
            {},
            {"type": "object", "required": [["k"]]},
            "",
            id="a wrong schema, whose required key is a list, refuses nothing",
        ),
        pytest.param(
            7,
            {"$ref": "#/properties/b", "properties": {"b": {"type": "string"}}},
            "",
            id="a reference to anything but definitions is not followed",
        ),
        pytest.param(
            7,
            {"$ref": "#/definitions/B", "definitions": {"B": {"type": "string"}}},
            " is str, not int 7",
            id="definitions may stand under `definitions`, the older name of `$defs`",
        ),
        pytest.param(
            1 << 70,
            {"type": "integer"},
            " is int, not int of more than 64 bits",
            id="an integer beyond 64 bits is refused",
        ),
    ],
)
def test_unusual_values_and_schemas(value: Any, schema: Any, fault: str) -> None:
    assert schema_fault(value, schema) == fault

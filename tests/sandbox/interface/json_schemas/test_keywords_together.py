"""A value is checked against a JSON schema whose keywords depend on each other.

`additionalProperties` only holds for keys that `properties` and `patternProperties` don't have, and
`items` only for the items behind those of `prefixItems`. So `{"a": 7}` fits the schema
`{"properties": {"a": {"type": "integer"}}, "additionalProperties": false}`.

`schema_fault(value, schema)` says why a value does not fit, and is empty if it fits.
"""

from typing import Any

import pytest

from controlplane.sandbox.interface import schema_fault

DECLARES_A = {"properties": {"a": {"type": "integer"}}}
DECLARES_A_ALONE = {**DECLARES_A, "additionalProperties": False}
OTHERS_ARE_TEXTS = {**DECLARES_A, "additionalProperties": {"type": "string"}}


@pytest.mark.parametrize(
    ("value", "schema", "fault"),
    [
        pytest.param({"a": 7}, DECLARES_A_ALONE, "", id="a declared key is allowed"),
        pytest.param(
            {"b": 7}, DECLARES_A_ALONE, " has no key 'b'", id="a further key is not"
        ),
        pytest.param(
            {"a": 7}, OTHERS_ARE_TEXTS, "", id="a declared key has its own schema"
        ),
        pytest.param(
            {"b": 7},
            OTHERS_ARE_TEXTS,
            "['b'] is str, not int 7",
            id="a further key has the schema of further keys",
        ),
        pytest.param(
            {"x1": 7},
            {"patternProperties": {"^x": {}}, "additionalProperties": False},
            "",
            id="a key that fits a pattern is allowed",
        ),
        pytest.param(
            [7, "a"],
            {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}},
            "",
            id="the first item has its own schema",
        ),
    ],
)
def test_keywords_that_depend_on_each_other(
    value: Any, schema: Any, fault: str
) -> None:
    assert schema_fault(value, schema) == fault

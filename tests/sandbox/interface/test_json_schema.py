"""The check of values against JSON schemas: beside a library's
verdict, and on schemas that are hostile or wrong."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.sandbox.interface import schema_fault

PLAIN = st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, -3, "", "a", "ab"])
KEYS = st.sampled_from(["a", "b", "x1"])
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
    ),
)
TYPES = st.sampled_from(
    ["string", "integer", "number", "boolean", "array", "object", "null"]
)
SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "minimum": st.integers(-2, 2),
            "exclusiveMaximum": st.integers(-2, 2),
            "maxLength": st.integers(0, 2),
            "minItems": st.integers(0, 2),
            "required": st.lists(KEYS, max_size=2, unique=True),
            "patternProperties": st.just({"^x": {}}),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "properties": st.dictionaries(KEYS, inner, max_size=2),
            "additionalProperties": st.just(False) | inner,
        },
    ),
    max_leaves=6,
)


@settings(max_examples=400, deadline=None)
@given(VALUES, SCHEMAS)
def test_what_a_library_takes_for_valid_is_never_refused(
    value: Any, schema: Any
) -> None:
    if jsonschema.Draft202012Validator(schema).is_valid(value):
        assert schema_fault(value, schema) == ""


@pytest.mark.parametrize("size", [2, 5, 12])
def test_alternatives_that_repeat_each_other_end_soon(size: int) -> None:
    names = range(size)
    kinds = {
        f"A{at}": {
            "anyOf": [{"$ref": f"#/$defs/A{(at + by) % size}"} for by in names],
            "properties": {f"p{by}": {"$ref": f"#/$defs/A{by}"} for by in names},
            "type": "object",
        }
        for at in names
    }

    assert schema_fault(5, {"$defs": kinds, "$ref": "#/$defs/A0"}).endswith("not int 5")


@pytest.mark.parametrize(
    ("value", "schema", "fault"),
    [
        ([True], {"const": [1]}, " is [1], not list"),
        ({}, {"type": "object", "required": [["k"]]}, ""),
        (7, {"$ref": "#/properties/b", "properties": {"b": {"type": "string"}}}, ""),
        (
            7,
            {"$ref": "#/definitions/B", "definitions": {"B": {"type": "string"}}},
            " is str, not int 7",
        ),
        (1 << 70, {"type": "integer"}, " is int, not int of more than 64 bits"),
    ],
)
def test_odd_values_and_schemas(value: Any, schema: Any, fault: str) -> None:
    assert schema_fault(value, schema) == fault

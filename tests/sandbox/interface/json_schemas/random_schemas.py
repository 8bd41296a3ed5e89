"""Random schemas that may fit random values, such as `{"items": {"type": "null"}}`."""

from typing import Any

from hypothesis import strategies as st

from tests.sandbox.interface.json_schemas.random_values import KEYS, VALUES

KEY_PATTERNS = st.just({"^x": {}})
"""Allows a key that begins with an x, with any value."""

SMALL_INTEGERS = st.integers(-2, 2)
SMALL_SIZES = st.integers(0, 2)
TYPE_NAMES = st.sampled_from(
    ["string", "integer", "number", "boolean", "array", "object", "null"]
)
TYPES = TYPE_NAMES | st.lists(TYPE_NAMES, min_size=1, max_size=2, unique=True)


def schemas_with_one_of(
    keywords: dict[str, st.SearchStrategy[Any]],
) -> st.SearchStrategy[Any]:
    """Return random schemas that have one of the keywords, and perhaps a type.

    With more keywords, hardly any value would fit.
    """
    return st.one_of(
        st.fixed_dictionaries({keyword: values}, optional={"type": TYPES})
        for keyword, values in keywords.items()
    )


FLAT_SCHEMAS = st.builds(dict, type=TYPES) | schemas_with_one_of(
    {
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "minimum": SMALL_INTEGERS,
        "exclusiveMaximum": SMALL_INTEGERS,
        "maxLength": SMALL_SIZES,
        "minItems": SMALL_SIZES,
        "required": st.lists(KEYS, max_size=2, unique=True),
        "patternProperties": KEY_PATTERNS,
    }
)
"""Random schemas without schemas inside, such as `{"type": "string", "maxLength": 2}`."""


def schemas_containing(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return random schemas that contain the given ones, such as `{"items": {"type": "null"}}`."""
    first_items = st.lists(schemas, min_size=1, max_size=2)
    declared_keys = st.dictionaries(KEYS, schemas, max_size=2)
    with_one_keyword = schemas_with_one_of(
        {
            "anyOf": st.lists(schemas, min_size=1, max_size=3),
            "items": schemas,
            "prefixItems": first_items,
            "properties": declared_keys,
            "additionalProperties": st.just(False) | schemas,
        }
    )
    # These keywords depend on each other: `items` only holds behind the first items, and
    # `additionalProperties` for keys that are not declared and fit no pattern.
    of_lists = st.fixed_dictionaries({"items": schemas, "prefixItems": first_items})
    of_objects = st.fixed_dictionaries(
        {"properties": declared_keys, "additionalProperties": schemas}
    )
    of_closed_objects = st.fixed_dictionaries(
        {"properties": declared_keys, "additionalProperties": st.just(False)},
        optional={"patternProperties": KEY_PATTERNS},
    )
    return with_one_keyword | of_lists | of_objects | of_closed_objects


SCHEMAS = st.recursive(FLAT_SCHEMAS, schemas_containing, max_leaves=6)
"""Random schemas, flat or with others inside."""

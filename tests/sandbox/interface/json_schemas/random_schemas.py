"""Random JSON values, and random schemas that may fit them, such as `{"items": {"type": "null"}}`."""

from typing import Any

from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "b", "x1"])
SMALL_INTEGERS = st.integers(-2, 2)
SMALL_SIZES = st.integers(0, 2)
SMALL_SCALARS = [None, True, False, 0, 1, 1.0, 1.5, -3, "", "a", "ab"]
SMALL_VALUES = [*SMALL_SCALARS, [], [1], [1, "a"], {}, {"a": 1}, {"x1": ["a"]}]
"""Some values of each type, so that most random schemas accept one of them."""

SCALARS = st.sampled_from(SMALL_SCALARS)
VALUES = st.recursive(
    SCALARS,
    lambda values: (
        st.lists(values, max_size=3) | st.dictionaries(KEYS, values, max_size=3)
    ),
)
"""Random JSON values, such as `{"a": [1, "ab"]}`."""

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
        # Allows whatever begins with an x, with any value.
        "patternProperties": st.just({"^x": {}}),
    }
)
"""Random schemas without schemas inside, such as `{"type": "string", "maxLength": 2}`."""


def schemas_containing(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return random schemas that contain the given ones, such as `{"items": {"type": "null"}}`."""
    return schemas_with_one_of(
        {
            "anyOf": st.lists(schemas, min_size=1, max_size=3),
            "items": schemas,
            "prefixItems": st.lists(schemas, min_size=1, max_size=2),
            "properties": st.dictionaries(KEYS, schemas, max_size=2),
            "additionalProperties": st.just(False) | schemas,
        }
    )


SCHEMAS = st.recursive(FLAT_SCHEMAS, schemas_containing, max_leaves=6)
"""Random schemas, flat or with others inside."""

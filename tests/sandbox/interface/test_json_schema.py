"""`schema_fault` says why a value does not fit a JSON schema, or "" if it fits.

For example, `schema_fault(7, {"type": "string"})` is " is str, not int 7". Schemas come from
foreign tools, so they may be wrong, or hostile: recursive, or with alternatives that multiply.
"""

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.sandbox.interface import schema_fault
from tests.support.executed_work import executed_lines

KEYS = st.sampled_from(["a", "b", "x1"])
SMALL_INTEGERS = st.integers(-2, 2)
SMALL_SIZES = st.integers(0, 2)
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, -3, "", "a", "ab"])
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
FLAT_SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "type": TYPE_NAMES | st.lists(TYPE_NAMES, min_size=1, max_size=2, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "minimum": SMALL_INTEGERS,
        "exclusiveMaximum": SMALL_INTEGERS,
        "maxLength": SMALL_SIZES,
        "minItems": SMALL_SIZES,
        "required": st.lists(KEYS, max_size=2, unique=True),
        # Allows whatever begins with an x, with any value.
        "patternProperties": st.just({"^x": {}}),
    },
)
"""Random schemas without schemas inside, such as `{"type": "string", "maxLength": 2}`."""


def schemas_containing(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return random schemas that contain the given ones, such as `{"items": {"type": "null"}}`."""
    return st.fixed_dictionaries(
        {},
        optional={
            "anyOf": st.lists(schemas, min_size=1, max_size=3),
            "items": schemas,
            "prefixItems": st.lists(schemas, min_size=1, max_size=2),
            "properties": st.dictionaries(KEYS, schemas, max_size=2),
            "additionalProperties": st.just(False) | schemas,
        },
    )


SCHEMAS = st.recursive(FLAT_SCHEMAS, schemas_containing, max_leaves=6)
"""Random schemas, flat or with others inside."""


class TestRandomSchemas:
    """A value that the library `jsonschema` accepts is never refused."""

    @settings(max_examples=400, deadline=None)
    @given(VALUES, SCHEMAS)
    def test_a_value_that_the_jsonschema_library_accepts_is_never_refused(
        self, value: Any, schema: Any
    ) -> None:
        """The reverse need not hold: keywords that `schema_fault` does not know are not checked."""
        if jsonschema.Draft202012Validator(schema).is_valid(value):
            assert schema_fault(value, schema) == ""


def schemas_that_refer_to_each_other(size: int) -> dict[str, Any]:
    """Return definitions `A0`, `A1`, ..., each of which allows whatever any of them allows.

    For the size 2, `A1` is {"type": "object",
                             "anyOf": [{"$ref": "#/$defs/A1"}, {"$ref": "#/$defs/A0"}],
                             "properties": {"p0": {"$ref": "#/$defs/A0"}, "p1": ...}}
    """
    references = [{"$ref": f"#/$defs/A{number}"} for number in range(size)]
    properties: dict[str, Any] = {}
    for number, reference in enumerate(references):
        properties[f"p{number}"] = reference

    definitions: dict[str, Any] = {}
    for number in range(size):
        # A schema names itself first. A search that follows the first reference, and does not
        # notice that it has been there, never gets to another schema.
        itself_first = references[number:] + references[:number]
        definitions[f"A{number}"] = {
            "type": "object",
            "anyOf": itself_first,
            "properties": properties,
        }
    return definitions


class TestHostileSchemas:
    """A schema that refers to itself, over and over, is checked in bounded time.

    A schema may refer to another by `$ref`, or have alternatives (`anyOf`). If all schemas refer
    to each other, a careless check visits them in every order. `schema_fault` follows references
    to a limited depth, and stops after a number of comparisons.
    """

    @pytest.mark.parametrize("size", [2, 5, 12])
    def test_schemas_that_all_refer_to_each_other_are_checked_in_bounded_time(
        self, size: int
    ) -> None:
        """Twelve schemas can be visited in 12! (479 million) orders; trying them all would not
        end."""
        definitions = schemas_that_refer_to_each_other(size)

        fault = schema_fault(5, {"$defs": definitions, "$ref": "#/$defs/A0"})

        assert fault.endswith("not int 5")  # Every one of the schemas wants an object.

    def test_alternatives_that_multiply_are_checked_with_bounded_work(self) -> None:
        """The schema `a` has 20 alternatives, each of which is the schema `a` again. To follow all
        alternatives of all alternatives would be 20, 400, 8,000 and so on, without an end.

        The error names both types that `n` may have: `str` for its "string", and `any` for `a`,
        which names no type.
        """
        most_lines = 10_000_000  # lines of Python that are executed: some seconds
        twenty_times_itself = {"anyOf": [{"$ref": "#/$defs/a"}] * 20}
        schema = {
            "$defs": {"a": twenty_times_itself},
            "properties": {"n": {"type": "string", **twenty_times_itself}},
        }

        def check() -> None:
            assert schema_fault({"n": 5}, schema) == "['n'] is any | str, not int 5"

        assert executed_lines(check) < most_lines


class TestUnusualSchemas:
    """Unusual values and schemas have their fault, or none.

    A caller puts the name of the value before the fault: `"limit" + " is str, not int 7"`. The
    fault is empty if the value fits, or if the schema itself is wrong.
    """

    @pytest.mark.parametrize(
        ("value", "schema", "fault"),
        [
            pytest.param(
                [True],
                {"const": [1]},
                " is [1], not list",
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
                id="definitions have an older name, too",
            ),
            pytest.param(
                1 << 70,
                {"type": "integer"},
                " is int, not int of more than 64 bits",
                id="an integer beyond 64 bits is refused",
            ),
        ],
    )
    def test_unusual_values_and_schemas(
        self, value: Any, schema: Any, fault: str
    ) -> None:
        assert schema_fault(value, schema) == fault

"""`schema_fault` never refuses a value that the library `jsonschema` accepts.

`schema_fault(7, {"type": "string"})` is " is str, not int 7". It says why a value does not fit a
JSON schema, and is "" if it fits. The reverse need not hold: keywords that it does not know are not
checked.
"""

from typing import Any

import jsonschema
from hypothesis import given, settings

from controlplane.sandbox.interface import schema_fault
from tests.sandbox.interface.json_schemas.random_schemas import SCHEMAS
from tests.sandbox.interface.json_schemas.random_values import SMALL_VALUES, VALUES


# Fewer examples would hardly have two keywords together that depend on each other.
@settings(max_examples=500)
@given(VALUES, SCHEMAS)
def test_a_value_that_the_jsonschema_library_accepts_is_never_refused(
    random_value: Any, schema: Any
) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    for value in (random_value, *SMALL_VALUES):
        if validator.is_valid(value):
            assert schema_fault(value, schema) == ""

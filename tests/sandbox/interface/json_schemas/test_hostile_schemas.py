"""A JSON schema that refers to itself, over and over, is checked in bounded time.

Schemas come from foreign tools. One may refer to another by `$ref`, or have alternatives (`anyOf`).
If all refer to each other, a careless check visits them in every order: for twelve schemas, 479
million.
"""

from typing import Any

import pytest

from controlplane.sandbox.interface import schema_fault
from tests.support.executed_work import executed_lines


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


@pytest.mark.parametrize("size", [2, 5, 12])
def test_schemas_that_all_refer_to_each_other_are_checked_in_bounded_time(
    size: int,
) -> None:
    definitions = schemas_that_refer_to_each_other(size)

    fault = schema_fault(5, {"$defs": definitions, "$ref": "#/$defs/A0"})

    assert fault.endswith("not int 5")  # Every one of the schemas wants an object.


def test_alternatives_that_multiply_are_checked_with_bounded_work() -> None:
    """To follow all alternatives of all alternatives would be 20, 400, 8,000 and so on.

    `n` has to be a string that fits `a`, and 5 is none. The error lists both, `a` as `any`: what is
    nested too deeply to be shown is shown so.
    """
    twenty_times_itself = {"anyOf": [{"$ref": "#/$defs/a"}] * 20}
    schema = {
        "$defs": {"a": twenty_times_itself},
        "properties": {"n": {"type": "string", **twenty_times_itself}},
    }

    def check() -> None:
        assert schema_fault({"n": 5}, schema) == "['n'] is any | str, not int 5"

    # Ten million lines of Python take some seconds.
    assert executed_lines(check) < 10_000_000

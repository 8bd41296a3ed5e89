"""The error of a wrong use of `harness` says what to write instead.

Models know other harnesses, and mistake one for the other. The model reads the error, and writes a
better script.
"""

import pytest

from controlplane.sandbox.interface import FILE_OPERATIONS, Operation, ResultField
from tests.sandbox.child.harness.harness_with_results import RecordedCalls, harness_with

FIND = Operation("find", parameters=(), fields=(ResultField("paths"),), summary="find")
"""`harness.find().paths`"""


def test_a_field_that_a_result_does_not_have_is_answered_with_its_fields() -> None:
    result = harness_with(FIND, RecordedCalls([{"paths": []}])).find()

    with pytest.raises(AttributeError, match="it has paths"):
        _ = result.path


def test_an_assignment_to_a_field_is_answered_with_the_right_spelling() -> None:
    result = harness_with(FIND, RecordedCalls([{"paths": []}])).find()

    with pytest.raises(AttributeError, match=r"use result\['paths'\]"):
        result.paths = 1


def test_json_of_a_file_with_an_object_a_line_explains_how_to_parse_it() -> None:
    """Models often take such a file, JSON Lines, for one JSON document."""
    read, *_ = FILE_OPERATIONS
    text = '{"a": 1}\n{"a": 2}\n'
    calls = RecordedCalls([{"path": "/a.jsonl", "content": text, "truncated": False}])

    result = harness_with(read, calls).read("/a.jsonl")

    with pytest.raises(ValueError, match=r"JSON Lines.*json.loads\(line\) for line in"):
        result.json()


@pytest.mark.parametrize(
    ("wrong_name", "message"),
    [
        (
            "glob",
            "harness has no 'glob'; did you mean harness.find? It has answer, find.",
        ),
        (
            "submit",
            "harness has no 'submit'; did you mean harness.answer(scratchpad, verify)? "
            "It has answer, find.",
        ),
        # It would be `search`, which this harness does not have.
        ("grep", "harness has no 'grep'; it has answer, find."),
    ],
)
def test_the_name_of_another_tool_is_answered_with_the_one_that_does_the_same(
    wrong_name: str, message: str
) -> None:
    harness = harness_with(FIND, RecordedCalls([]))

    with pytest.raises(AttributeError) as error:
        getattr(harness, wrong_name)

    assert str(error.value) == message

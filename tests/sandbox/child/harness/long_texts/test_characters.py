"""A text that was cut off is read on, part by part, before a script gets it.

A call of `harness.read` may return a part of a text, and `next_char`, where the next part begins:
`{"content": "1234", "truncated": True, "next_char": 5}`. The declaration of `read` names the
parameter for the number of the character from which to read on, here `start_char`.
"""

from controlplane.sandbox.interface import FILE_OPERATIONS, Parameter
from tests.sandbox.child.harness.harness_with_results import RecordedCalls, harness_with

READ, *_ = FILE_OPERATIONS
READ_BY_CHARACTERS = READ._replace(
    parameters=(*READ.parameters, Parameter("start_char", "int", 0)),
    from_line="",
    from_char="start_char",
)
"""`harness.read(path, start_line=0, end_line=0, start_char=0)`"""


def test_a_text_that_does_not_fit_into_one_result_is_read_whole() -> None:
    """The script makes one call, and the harness two more."""
    calls = RecordedCalls(
        [
            {"path": "/a", "content": "1234", "truncated": True, "next_char": 5},
            {"path": "/a", "content": "5678", "truncated": True, "next_char": 9},
            {"path": "/a", "content": "90", "truncated": False, "next_char": 0},
        ]
    )

    result = harness_with(READ_BY_CHARACTERS, calls).read("/a")

    assert result.content == "1234567890"
    assert result.truncated is False
    assert result.json() == 1234567890
    assert calls.named_arguments == [{}, {"start_char": 5}, {"start_char": 9}]


def test_a_script_that_asks_for_a_part_of_a_text_gets_that_part() -> None:
    """The harness reads on by itself only if the script asked for the whole file."""
    calls = RecordedCalls(
        [{"path": "/a", "content": "3456", "truncated": True, "next_char": 7}]
    )

    result = harness_with(READ_BY_CHARACTERS, calls).read("/a", start_char=3)

    assert result.content == "3456"
    assert result.truncated is True
    assert result.next_char == 7
    assert calls.named_arguments == [{"start_char": 3}]

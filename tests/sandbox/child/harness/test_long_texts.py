"""A text that was cut off is read on, part by part, before a script gets it.

An operation says in which parameter the number goes from which to read on: `from_line` is for the
number of a line, and `from_char` for that of a character.
"""

import pytest

from controlplane.sandbox.interface import FILE_OPERATIONS, Operation, Parameter
from tests.sandbox.child.harness.harness_with_results import RecordedCalls, harness_with

READ, *_ = FILE_OPERATIONS
"""`harness.read(path, start_line=0, end_line=0)`"""


class TestLinesReadOn:
    """A call of `read` returns one line of a JSON file, and says that more lines follow.

    `json()` needs the whole file.
    """

    def test_json_of_a_truncated_file_reads_the_remaining_lines(self) -> None:
        calls = RecordedCalls(
            [
                {"path": "/a.json", "content": '{"a": 1,\n', "truncated": True},
                {"path": "/a.json", "content": '"b": 2,\n', "truncated": True},
                {"path": "/a.json", "content": '"c": 3}', "truncated": False},
            ]
        )
        read_by_lines = READ._replace(from_line="start_line")

        result = harness_with(read_by_lines, calls).read("/a.json")

        assert result.json() == {"a": 1, "b": 2, "c": 3}
        assert calls.named_arguments == [{}, {"start_line": 2}, {"start_line": 3}]

    def test_json_of_a_truncated_file_fails_if_nothing_says_how_to_read_on(
        self,
    ) -> None:
        """Half of a file must not be taken for the whole."""
        calls = RecordedCalls(
            [{"path": "/a.json", "content": '{"a": 1,\n', "truncated": True}]
        )
        read_without_lines = READ._replace(from_line="")

        result = harness_with(read_without_lines, calls).read("/a.json")

        with pytest.raises(ValueError, match="it was truncated"):
            result.json()
        assert calls.named_arguments == [{}]


class TestCharactersReadOn:
    """A call of `read` returns a part of a text, and `next_char`, where the next part begins."""

    read_by_characters: Operation = READ._replace(
        parameters=(*READ.parameters, Parameter("start_char", "int", 0)),
        from_line="",
        from_char="start_char",
    )

    def test_a_text_that_does_not_fit_into_one_result_is_read_whole(self) -> None:
        """The script makes one call, and the harness two more."""
        calls = RecordedCalls(
            [
                {"path": "/a", "content": "1234", "truncated": True, "next_char": 5},
                {"path": "/a", "content": "5678", "truncated": True, "next_char": 9},
                {"path": "/a", "content": "90", "truncated": False, "next_char": 0},
            ]
        )

        result = harness_with(self.read_by_characters, calls).read("/a")

        assert result.content == "1234567890"
        assert result.truncated is False
        assert result.json() == 1234567890
        assert calls.named_arguments == [{}, {"start_char": 5}, {"start_char": 9}]

    def test_a_script_that_asks_for_a_part_of_a_text_gets_that_part(self) -> None:
        """The harness reads on by itself only if the script asked for the whole file."""
        calls = RecordedCalls(
            [{"path": "/a", "content": "3456", "truncated": True, "next_char": 7}]
        )

        result = harness_with(self.read_by_characters, calls).read("/a", start_char=3)

        assert result.content == "3456"
        assert result.truncated is True
        assert result.next_char == 7
        assert calls.named_arguments == [{"start_char": 3}]

"""Shortening the texts of files before they are shown to a model.

Indented JSON is shown without line breaks and indentation, so that more of it fits:
`{\\n  "a": 1\\n}` becomes `{"a":1}`. Other texts keep their lines. The result has the shown
`text`, and `source_chars`: how many characters of the original file it covers.
"""

from __future__ import annotations

import json

import pytest

from controlplane.agent.initial_calls.cut_texts import compact_lines, compact_to_line

AMPLE_CHARS = 1_000
"""A limit that no text in this file reaches, so that nothing is cut."""


class TestShortenedJson:
    """Indented JSON is shown without what only lays it out, and cut between its lines.

    `compact_lines(text, limit)` returns the lines of a text that are shown, of at most so many
    characters.
    """

    def test_json_is_shown_without_indentation(self) -> None:
        value = {"a": 1, "b": ["x, y", "z: 1"]}
        text = json.dumps(value, indent=2) + "\n"

        start = compact_lines(text, AMPLE_CHARS)

        assert start.text == '{"a":1,"b":["x, y","z: 1"]}'
        assert start.source_chars == len(text)

    def test_json_is_cut_between_lines(self) -> None:
        """`{"a":1,` has 7 characters, and the next line, `"b":2`, would exceed the limit of 10."""
        text = '{\n  "a": 1,\n  "b": 2\n}'

        start = compact_lines(text, 10)

        assert start.text == '{"a":1,'
        assert start.source_chars == len('{\n  "a": 1,\n')

    def test_unicode_line_separator_in_a_string_is_not_a_line_break(self) -> None:
        """A U+2028 inside a string stays, and so do the blanks around it.

        Python's `splitlines` would split the JSON there.
        """
        value = {"note": "first\u2028 second"}
        text = json.dumps(value, indent=2, ensure_ascii=False)

        shown_text = compact_lines(text, AMPLE_CHARS).text

        assert json.loads(shown_text) == value

    def test_blank_inside_a_string_is_kept_if_the_string_looks_like_a_key(self) -> None:
        """In `": not a key"`, the first three characters look like the end of a key: `": `."""
        value = {": not a key": 1, "list": [": not a key", "a"], "": 2}
        text = json.dumps(value, indent=2)

        shown_text = compact_lines(text, AMPLE_CHARS).text

        assert json.loads(shown_text) == value


class TestOtherTexts:
    """A text that is not JSON keeps its lines."""

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("[server]\nport = 80\n\n[log]\nlevel = info\n", id="INI"),
            pytest.param(
                "[Rules](/docs/rules.md)\n\nKeys are lent for a day.\n",
                id="Markdown link",
            ),
            pytest.param('{"id": 1}\n{"id": 2}\n', id="JSON Lines"),
        ],
    )
    def test_text_that_only_begins_like_json_keeps_its_lines(self, text: str) -> None:
        """A bracket or a brace at the beginning does not make a text JSON."""
        assert compact_lines(text, AMPLE_CHARS).text == text
        assert compact_to_line(text, AMPLE_CHARS).text == text

    def test_a_line_that_does_not_fit_is_left_out(self) -> None:
        text = "first\nsecond\nthird\n"

        start = compact_lines(text, 9)

        assert start.text == "first\n"
        assert start.source_chars == len("first\n")
        assert start.hidden_chars == len("second\nthird\n")

    def test_no_line_is_shown_if_the_first_one_is_too_long(self) -> None:
        start = compact_lines("first\nsecond\n", 5)

        assert start.text == ""
        assert start.source_chars == 0

r"""Indented JSON is shown to a model without what only lays it out, so that more of it fits.

`compact_lines(text, limit)` shortens the text of a file to at most so many characters, here 1,000 where
nothing is to be cut: `{\n  "a": 1\n}` -> `text` is `{"a":1}`, and `source_chars` is how many characters
of the file it covers.
"""

import json

from controlplane.agent.initial_calls.sections.cut_texts import compact_lines


def test_json_is_shown_without_indentation() -> None:
    value = {"a": 1, "b": ["x, y", "z: 1"]}
    text = json.dumps(value, indent=2) + "\n"

    start = compact_lines(text, 1_000)

    assert start.text == '{"a":1,"b":["x, y","z: 1"]}'
    assert start.source_chars == len(text)


def test_json_is_cut_between_lines() -> None:
    """`{"a":1,` has 7 characters, and the next line, `"b":2`, would exceed the limit of 10."""
    text = '{\n  "a": 1,\n  "b": 2\n}'

    start = compact_lines(text, 10)

    assert start.text == '{"a":1,'
    assert start.source_chars == len('{\n  "a": 1,\n')


def test_unicode_line_separator_in_a_string_is_not_a_line_break() -> None:
    """A U+2028 inside a string stays, and so do the blanks around it.

    Python's `splitlines` would split the JSON there.
    """
    value = {"note": "first\u2028 second"}
    text = json.dumps(value, indent=2, ensure_ascii=False)

    shown_text = compact_lines(text, 1_000).text

    assert json.loads(shown_text) == value


def test_blank_inside_a_string_is_kept_if_the_string_looks_like_a_key() -> None:
    """In `": not a key"`, the first three characters look like the end of a key: `": `."""
    value = {": not a key": 1, "list": [": not a key", "a"], "": 2}
    text = json.dumps(value, indent=2)

    shown_text = compact_lines(text, 1_000).text

    assert json.loads(shown_text) == value

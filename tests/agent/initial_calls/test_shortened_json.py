r"""Indented JSON is shown to a model without its white space, so that more of it fits.

    shown = compact_lines('{\n  "a": 1\n}', limit)
    shown.text           # '{"a":1}', at most `limit` characters
    shown.source_chars   # 12: the characters of the file that this text stands for

White space within a string is a part of the data, and stays.
"""

import json

import pytest

from controlplane.agent.initial_calls.sections import compact_lines

NO_LIMIT = 1_000
"""More characters than any of these texts has."""


def test_json_is_shown_without_indentation() -> None:
    value = {"a": 1, "b": ["x, y", "z: 1"]}
    text = json.dumps(value, indent=2) + "\n"

    shown = compact_lines(text, NO_LIMIT)

    assert shown.text == '{"a":1,"b":["x, y","z: 1"]}'
    assert shown.source_chars == len(text)


def test_json_is_cut_between_lines() -> None:
    """`{"a":1,` has 7 characters, and the next line, `"b":2`, would exceed the limit of 10."""
    text = '{\n  "a": 1,\n  "b": 2\n}'

    shown = compact_lines(text, 10)

    assert shown.text == '{"a":1,'
    assert shown.source_chars == len('{\n  "a": 1,\n')


def test_unicode_line_separator_in_a_string_is_not_a_line_break() -> None:
    """Python's `splitlines` would split the JSON at U+2028."""
    value = {"note": "first\u2028 second"}
    text = json.dumps(value, indent=2, ensure_ascii=False)

    shown = compact_lines(text, NO_LIMIT)

    assert json.loads(shown.text) == value


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({": not a key": 1}, id="in a key"),
        pytest.param({"list": [": not a key", "a"]}, id="in an item of a list"),
        pytest.param({"": 2}, id="in the line of an empty key"),
        pytest.param(
            {": not a key": 1, "list": [": not a key", "a"], "": 2}, id="all of these"
        ),
    ],
)
def test_blank_inside_a_string_is_kept_if_the_string_looks_like_a_key(
    value: dict[str, object],
) -> None:
    """In `": not a key"`, the first three characters look like the end of a key: `": `."""
    text = json.dumps(value, indent=2)

    shown = compact_lines(text, NO_LIMIT)

    assert json.loads(shown.text) == value

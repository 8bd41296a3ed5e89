"""Texts of files in messages to the model: JSON without its indentation, others as they are."""

from __future__ import annotations

import json

import pytest

from controlplane.agent.initial_calls.cut_texts import compact_start, cut_to_line


def test_json_is_shown_without_indentation() -> None:
    text = json.dumps({"a": 1, "b": ["x, y", "z: 1"]}, indent=2) + "\n"
    start = compact_start(text, 1_000)

    assert start.text == '{"a":1,"b":["x, y","z: 1"]}'
    assert start.source_chars == len(text)


def test_json_is_cut_between_lines() -> None:
    start = compact_start('{\n  "a": 1,\n  "b": 2\n}', 10)
    assert start.text == '{"a":1,'
    assert start.source_chars == len('{\n  "a": 1,\n')


@pytest.mark.parametrize(
    "text",
    [
        "[server]\nport = 80\n\n[log]\nlevel = info\n",
        "[Rules](/docs/rules.md)\n\nKeys are lent for a day.\n",
        '{"id": 1}\n{"id": 2}\n',
    ],
)
def test_other_texts_that_begin_with_a_bracket_keep_their_lines(text: str) -> None:
    assert compact_start(text, 1_000).text == text
    assert cut_to_line(text, 1_000, compacts_json=True).text == text


def test_a_line_separator_in_a_string_is_not_a_line_break() -> None:
    value = {"note": "first\u2028 second"}
    text = json.dumps(value, indent=2, ensure_ascii=False)

    assert json.loads(compact_start(text, 1_000).text) == value


def test_the_start_of_a_string_is_not_the_end_of_a_key() -> None:
    value = {": not a key": 1, "list": [": not a key", "a"], "": 2}
    text = json.dumps(value, indent=2)

    assert json.loads(compact_start(text, 1_000).text) == value


def test_a_cut_line_is_left_out() -> None:
    text = "first\nsecond\nthird\n"
    start = compact_start(text, 9).without_cut_line(text)

    assert (start.text, start.source_chars) == ("first\n", 6)

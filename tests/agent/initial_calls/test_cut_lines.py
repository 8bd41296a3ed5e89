"""A text that is not JSON keeps its lines when it is shown to a model, and is cut between them.

`compact_lines(text, limit)` returns the lines that fit into so many characters as `text`, and how many
characters of the file they cover (`source_chars`) and leave out (`hidden_chars`).
"""

import pytest

from controlplane.agent.initial_calls.sections import compact_lines, compact_text_start


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
def test_text_that_only_begins_like_json_keeps_its_lines(text: str) -> None:
    """A bracket or a brace at the beginning does not make a text JSON."""
    assert compact_lines(text, 1_000).text == text
    assert compact_text_start(text, 1_000).text == text


def test_a_line_that_does_not_fit_is_left_out() -> None:
    text = "first\nsecond\nthird\n"

    start = compact_lines(text, 9)

    assert start.text == "first\n"
    assert start.source_chars == len("first\n")
    assert start.hidden_chars == len("second\nthird\n")


def test_no_line_is_shown_if_the_first_one_is_too_long() -> None:
    start = compact_lines("first\nsecond\n", 5)

    assert start.text == ""
    assert start.source_chars == 0

"""A text that may be a record comes from anybody, so reading it takes bounded time.

`parse('{"id": "task-7"}', "/a.json")` returns the fields of a record. It must not raise, whatever
the text is, and twice as long a text may take only twice the work.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.records import parse
from tests.support.executed_work import assert_linear


@pytest.mark.parametrize(
    ("beginning", "piece", "end", "path"),
    [
        pytest.param('{"a": [', "1,", "1]}", "/a.json", id="long list"),
        pytest.param("", "a: b\n", "", "/a.md", id="many lines"),
        pytest.param("", "| a | b |\n", "", "/a.md", id="long table of Markdown"),
        pytest.param("", " ", "{", "/a", id="blanks"),
        pytest.param("", "[", "", "/a.json", id="only brackets"),
    ],
)
def test_parsing_a_hostile_text_is_linear_work(
    beginning: str, piece: str, end: str, path: str
) -> None:
    """The piece is repeated many times between the beginning and the end."""
    assert_linear(lambda count: parse(beginning + piece * count + end, path), 1_000)


@pytest.mark.parametrize("opening", ["", "{", "[", "a: "])
@given(
    text=st.text(max_size=300),
    path=st.sampled_from(["/a.json", "/a.csv", "/a.md", "/a"]),
)
def test_any_text_can_be_parsed(opening: str, text: str, path: str) -> None:
    """No text makes the parser raise, whatever format its beginning and its path promise."""
    for _name, value in parse(opening + text, path):
        assert isinstance(value, str)

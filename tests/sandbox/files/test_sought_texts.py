"""What a pattern seeks is told only where every matching line holds it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.files.sought_texts import sought_texts

PIECES = (
    *("ret", "-17", r"\-17", "|", r"\|", r"\b", r"\.", ".", "(?:", ")", "(", "^", "$", "*", "?"),
    *(r"\\", r"\w", "[a-z]", " "),
)
LINES = ("ret", "-17", "|", "b", ".", " ", "\\", "x", "(", ")", "^")


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("ret-17", ("ret-17",)),
        (r"\b(?:ret\-17|ret\-18)\b", ("ret-17", "ret-18")),
        (r"note\.txt", ("note.txt",)),
        ("note.txt", ()),
        (r"a\|b", ()),
        (r"ret\w", ()),
        ("(?i)ret", ()),
        ("(?:a)|(?:b)", ()),
        (r"a\\b", ()),
        ("^ret", ()),
        ("", ()),
    ],
)
def test_a_choice_of_plain_texts_is_told_apart(pattern: str, texts: tuple[str, ...]) -> None:
    assert sought_texts(pattern) == texts


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.lists(st.sampled_from(LINES), max_size=8))
def test_a_line_that_matches_holds_one_of_the_texts(pieces: list[str], parts: list[str]) -> None:
    try:
        matcher = re.compile("".join(pieces))
    except re.error:
        return
    line, texts = "".join(parts), sought_texts("".join(pieces))
    if matcher.search(line) and texts:
        assert any(each in line for each in texts)

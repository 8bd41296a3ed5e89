"""Many small texts are searched at once, which is faster, and each match is found all the same.

`prefiltered` joins them to one text and searches it. It returns the texts again, and marks those
that may have a match (`may_match`).
"""

import pytest

from controlplane.sandbox.files.tree_texts import LineSearch, SearchedText


def lines_with_path(search: LineSearch, texts: list[SearchedText]) -> list[object]:
    """Return the matching lines of all texts, each with the path of its text."""
    lines = []
    for text in texts:
        for line in search.lines_of(text.text):
            lines.append((text.path, line))
    return lines


@pytest.mark.parametrize(
    "pattern",
    [
        "a$",
        "^$",
        r"(?i)\bB",
        "(?s)a.*b",
        r"b\z",
        "(?:^|[^a-z])ab",
        "[^a]b",
        r"(?-m)^b$",
    ],
)
def test_searching_many_small_texts_at_once_finds_what_searching_each_finds(
    pattern: str,
) -> None:
    """In the joined text "xa\\r" and "ba\\nab" are neighbours. `a$` must still find the "xa"."""
    contents = [
        "",
        "ab",
        "a\r\nB",
        "a\n\nb",
        "b",
        "xa\r",
        "ba\nab",
        "\n",
        "a b\nabc",
        "é b",
    ]
    search = LineSearch(pattern, timeout_s=10.0)
    # The texts are repeated, so that the last of them, "é b", also has a neighbour behind it.
    texts = []
    for number, content in enumerate(contents * 3):
        texts.append(SearchedText(f"/{number}", content.encode()))

    marked_texts = [text for text in search.prefiltered(texts) if text.may_match]

    lines_of_all_texts = lines_with_path(search, texts)
    assert lines_of_all_texts != []
    assert lines_with_path(search, marked_texts) == lines_of_all_texts

"""Searches of long lines, and of texts in other forms of Unicode than the pattern."""

import random
import unicodedata

import pytest

from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.search.line_search import LineSearch
from controlplane.sandbox.interface import bounds

WORDS = "alpha beta gamma delta epsilon "


def found(pattern: str, text: str) -> list[tuple[int, str]]:
    search = LineSearch(pattern, 10.0)
    return [(line.number, line.text) for line in search.lines_of(text.encode())]


@pytest.mark.parametrize("place", [0, 100_000, 249_990, 250_000, 600_000])
@pytest.mark.parametrize(
    "pattern", ["the needle", r"the n\w+", r"\bneedle\b", "(?i)NEEDLE"]
)
def test_a_match_anywhere_in_a_very_long_line_is_found(
    place: int, pattern: str
) -> None:
    filler = WORDS * 25_000
    text = "first\n" + filler[:place] + " the needle " + filler[place:] + "\nlast\n"
    ((number, shown),) = found(pattern, text)

    assert number == 2
    assert "needle" in shown
    assert len(shown) < 2_000


def test_each_match_of_a_long_line_is_found_with_its_place() -> None:
    text = "é\r\n" + WORDS * 500 + "one needle" + WORDS * 500 + "two needles"
    result = FileTree({"/a.txt": text}).search("needle")

    assert [match["line"] for match in result["matches"]] == [2, 2]
    for match in result["matches"]:
        start = match["char"] - 1
        assert text[start:].startswith(match["text"])
        assert "needle" in match["text"]


@pytest.mark.parametrize(
    ("pattern", "lines"), [("^alpha", 1), ("epsilon $", 1), ("^beta", 0)]
)
def test_the_ends_of_a_long_line_are_its_own(pattern: str, lines: int) -> None:
    assert len(found(pattern, WORDS * 30_000)) == lines


def test_what_may_reach_over_the_parts_of_a_very_long_line_is_told() -> None:
    text = "x" + "-" * 2 * bounds.MOST_SEARCHED_LINE_BYTES + "y"
    result = FileTree({"/a.txt": text}).search("x-+y")

    assert result["matches"] == []
    assert result["truncated"] is True
    assert "searched in parts" in str(result["searched"])
    literal = FileTree({"/a.txt": text}).search("not there")
    assert literal["truncated"] is False


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("Café Müller", unicodedata.normalize("NFD", "Im Café Müller")),
        (unicodedata.normalize("NFD", "Café Müller"), "Im Café Müller"),
        ("Invoice 12", "Ｉｎｖｏｉｃｅ　１２"),
        ("請求書１２", "請求書12"),
        ("(?i)straße", "Die STRASSE ist keine Straße"),
        ("m²", "12 m²"),
        ("…", "und so weiter…"),
    ],
)
def test_other_forms_of_unicode_are_found_as_they_are_written(
    pattern: str, text: str
) -> None:
    assert found(pattern, f"nothing\n{text}\n") == [(2, text)]


def test_all_matches_are_there_or_the_result_is_truncated() -> None:
    random.seed(5)
    for _ in range(60):
        words = [f"w{random.randrange(50)}" for _ in range(random.randrange(1, 60_000))]
        separators = random.choice([" ", "\n", " \n"])
        text = "".join(word + random.choice(separators) for word in words)
        wanted = f"w{random.randrange(50)}"
        result = FileTree({"/a.txt": text}).search(rf"\b{wanted}\b", limit=0)
        shown = "\n".join(str(match["text"]) for match in result["matches"])
        count = sum(word == wanted for word in shown.split())
        assert result["truncated"] or count >= words.count(wanted)

"""A pattern that RE2 does not have is refused with a remedy.

Models write patterns of Python's `re`, which has more forms than RE2, the library that searches
here. RE2's patterns cannot backtrack, so that each search ends soon.
"""

import os
import random
import sys
import unicodedata
from pathlib import Path

import pytest

from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.search import LineSearch, compiled_pattern
from controlplane.sandbox.interface import CallError, bounds

# The lines of a text in which a search finds a pattern.


def matching_lines(pattern: str, text: str) -> list[tuple[int, str]]:
    """Return the number and the shown text of each line that matches.

    `matching_lines("needle", "first\nthe needle")` -> `[(2, "the needle")]`
    """
    search = LineSearch(pattern, timeout_s=10.0)
    return [(line.number, line.text) for line in search.lines_of(text.encode())]


# A search finds another form of the same characters, and shows the text as it is written.
#
# An é may be one character or two, and a digit may be a wide one of Japanese texts: the pattern
# "Invoice 12" finds "Ｉｎｖｏｉｃｅ　１２". A script need not know how a file spells them.


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        pytest.param(
            "Café Müller",
            unicodedata.normalize("NFD", "Im Café Müller"),
            id="the text has accents as characters of their own",
        ),
        pytest.param(
            unicodedata.normalize("NFD", "Café Müller"),
            "Im Café Müller",
            id="the pattern has accents as characters of their own",
        ),
        pytest.param("Invoice 12", "Ｉｎｖｏｉｃｅ　１２", id="the text is wide"),
        pytest.param("請求書１２", "請求書12", id="the pattern is wide"),
        pytest.param(
            "(?i)straße", "Die STRASSE ist keine Straße", id="ß beside capitals"
        ),
        pytest.param("m²", "12 m²", id="a superscript"),
        pytest.param("…", "und so weiter…", id="an ellipsis"),
    ],
)
def test_another_form_of_the_same_characters_is_found_and_shown_as_written(
    pattern: str, text: str
) -> None:
    assert matching_lines(pattern, f"nothing\n{text}\n") == [(2, text)]


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param("\u0301" * 60_000 + "\u0316" * 60_000, id="accents"),
        pytest.param("\uff9e" * 60_000 + "\u0334" * 60_000, id="Japanese marks"),
        pytest.param("\uff9e\u0334" * 60_000, id="Japanese marks in turn"),
    ],
)
def test_letters_with_endless_marks_do_not_take_the_time_of_a_search(
    marks: str,
) -> None:
    text = f"Ｉｎｖｏｉｃｅ{marks}\nCafe\u0301\n═{'═' * 60}\n"

    assert matching_lines("Café", text) == [(2, "Cafe\u0301")]
    assert matching_lines("^═{61}$", text) == [(3, "═" * 61)]


# A line of megabytes is searched in parts, and a match shows only the text around it.
#
# A line may be a whole JSON file. It is searched in parts of 250,000 bytes:
# `harness.search("needle")` finds "the needle" wherever it stands, and shows less than 2,000
# characters of the line.

WORDS = "alpha beta gamma delta epsilon "


@pytest.mark.parametrize("position", [0, 100_000, 249_990, 250_000, 600_000])
@pytest.mark.parametrize(
    "pattern", ["the needle", r"the n\w+", r"\bneedle\b", "(?i)NEEDLE"]
)
def test_a_match_anywhere_in_a_very_long_line_is_found_and_shown_in_short(
    position: int, pattern: str
) -> None:
    filler = WORDS * 25_000
    long_line = filler[:position] + " the needle " + filler[position:]

    lines = matching_lines(pattern, f"first\n{long_line}\nlast\n")

    assert len(lines) == 1
    number, shown_text = lines[0]
    assert number == 2
    assert "needle" in shown_text
    assert len(shown_text) < 2_000


def test_each_match_of_a_long_line_is_found_with_its_position() -> None:
    """`char` is where the shown text begins in the file, counted in characters from 1."""
    text = "é\r\n" + WORDS * 500 + "one needle" + WORDS * 500 + "two needles"

    matches = FileTree({"/a.txt": text}).search("needle")["matches"]

    assert [match["line"] for match in matches] == [2, 2]
    for match in matches:
        start = match["char"] - 1
        assert text[start:].startswith(match["text"])
        assert "needle" in match["text"]


@pytest.mark.parametrize(
    ("pattern", "expected_lines"), [("^alpha", 1), ("epsilon $", 1), ("^beta", 0)]
)
def test_a_part_of_a_long_line_does_not_count_as_a_line(
    pattern: str, expected_lines: int
) -> None:
    """`^` matches where the line begins, not where a part of it does."""
    assert len(matching_lines(pattern, WORDS * 30_000)) == expected_lines


# The result of a search says if a match may be missing because a line was searched in parts.
#
# The line "x---...---y" is so long that no part has both its first and its last letter. So a search
# for `x-+y` finds nothing, and its result is marked as truncated.

LINE_LONGER_THAN_A_PART = "x" + "-" * 2 * bounds.MOST_SEARCHED_LINE_BYTES + "y"


def test_a_pattern_that_may_match_across_the_parts_of_a_line_is_reported() -> None:
    result = FileTree({"/a.txt": LINE_LONGER_THAN_A_PART}).search("x-+y")

    assert result["matches"] == []
    assert result["truncated"] is True
    assert "searched in parts" in str(result["searched"])


def test_a_fixed_text_cannot_be_missed_between_the_parts_of_a_line() -> None:
    """Neighbouring parts overlap by more characters than a pattern may have, so that each fixed text
    stands in one of the parts as a whole."""
    result = FileTree({"/a.txt": LINE_LONGER_THAN_A_PART}).search("not there")

    assert result["truncated"] is False


# A search shows all matches, or its result is marked as truncated.
#
# A model that gets a search result without the mark may conclude that there is no other match. So a
# match may be missing only from a result with the mark.


def test_all_matches_are_shown_or_the_result_is_marked_as_truncated(
    heavy: bool,
) -> None:
    """Texts of random words, such as "w7 w31 w7 ", are searched for one of the words.

    A line of more than 250 kB is searched in parts, and the result is then marked as truncated.
    """
    random.seed(5)
    text_count = 60 if heavy else 20
    vocabulary = [f"w{number}" for number in range(50)]
    truncated_results = 0
    for _ in range(text_count):
        # 120,000 words are about 460 kB.
        words = random.choices(vocabulary, k=random.randrange(1, 120_000))
        # All words in one line, a word a line, or lines of a few words.
        separators = random.choice([[" "], ["\n"], [" ", "\n"]])
        ends = random.choices(separators, k=len(words))
        text = "".join(word + end for word, end in zip(words, ends, strict=True))
        wanted_word = random.choice(vocabulary)

        result = FileTree({"/a.txt": text}).search(rf"\b{wanted_word}\b", limit=0)

        shown_words = []
        for match in result["matches"]:
            shown_words += str(match["text"]).split()
        # A match in a long line is shown with the text around it, so that a word between two
        # matches is shown twice.
        shows_all = shown_words.count(wanted_word) >= words.count(wanted_word)
        assert result["truncated"] or shows_all
        if result["truncated"]:
            truncated_results += 1

    assert 0 < truncated_results < text_count


# A search ends at its deadline, which all texts that it searches share.


def test_a_search_ends_at_its_deadline() -> None:
    """To search one of the 100,000 texts for this pattern takes long. All get 0.2 s together."""
    search = LineSearch("(a|b)*a(a|b){300}c", timeout_s=0.2)
    text = b"ab" * 1_000 + b"\n"

    matching_lines = []
    for _ in range(100_000):
        matching_lines += search.lines_of(text)

    assert matching_lines == []
    assert search.is_late


@pytest.mark.parametrize(
    ("pattern", "remedy"),
    [
        (r"(?<!\w)ada", "no look-around"),
        (r'"id"(?!\s*:)', "no look-around"),
        (r"(\w)\1", "no back references"),
        (r"(?P<x>a)(?P=x)", "no back references"),
        ("a++", "no possessive or atomic groups"),
        ("(?>a)b", "no possessive or atomic groups"),
        (r"end\Z", r"as \z"),
        (r"\u20ac", r"\x{20AC}"),
        ("(", "missing )"),
        ("a{1001}", "the syntax of RE2"),
        ("\ud800", "lone surrogate"),
        ("(?:[ab]{30}c){30}" * 9, "too large"),
        ("a" * 4_001, "at most 4000 characters"),
    ],
)
def test_a_pattern_that_re2_does_not_have_is_refused_with_a_remedy(pattern, remedy):
    """The message is short, and says what to write instead."""
    with pytest.raises(CallError) as refused:
        compiled_pattern(pattern)

    assert refused.value.code == "invalid_argument"
    assert remedy in refused.value.message
    assert len(refused.value.message) < 500


# Patterns with thousands of states, which RE2 keeps with a compiled pattern.


def resident_bytes() -> int:
    """Return the memory that this process has at the moment."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the memory")
def test_any_number_of_patterns_takes_little_memory() -> None:
    choice = random.Random(1)
    lines = ["".join(choice.choices("ab", k=3_000)) for _ in range(100)]
    tree = FileTree({"/ab.txt": "\n".join(lines)})
    before = resident_bytes()

    for number in range(1, 101):
        tree.search(f"(a|b)*a(a|b){{13}}x{{{number}}}")

    assert resident_bytes() - before < 150_000_000

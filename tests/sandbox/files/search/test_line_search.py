"""Searches for a pattern line by line, in very long lines and in other forms of Unicode.

A line may be a whole JSON file of megabytes. It is then searched in parts, and a match shows only
the text around it. A letter such as é can be written in several ways, which all match each other.
"""

import random
import unicodedata

import pytest

from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.search.line_search import LineSearch
from controlplane.sandbox.interface import bounds


def matching_lines(pattern: str, text: str) -> list[tuple[int, str]]:
    """Return the number and the shown text of each line that matches: `[(2, "the needle")]`."""
    search = LineSearch(pattern, timeout_s=10.0)
    return [(line.number, line.text) for line in search.lines_of(text.encode())]


WORDS = "alpha beta gamma delta epsilon "


class TestLongLines:
    """A line of megabytes is searched in parts of 250,000 bytes.

    `matching_lines(pattern, text)` returns the number and the shown text of each line that
    matches.
    """

    @pytest.mark.parametrize("position", [0, 100_000, 249_990, 250_000, 600_000])
    @pytest.mark.parametrize(
        "pattern", ["the needle", r"the n\w+", r"\bneedle\b", "(?i)NEEDLE"]
    )
    def test_a_match_anywhere_in_a_very_long_line_is_found_and_shown_in_short(
        self, position: int, pattern: str
    ) -> None:
        """A line is searched in parts of 250,000 bytes; some positions are at the end of a part."""
        filler = WORDS * 25_000
        long_line = filler[:position] + " the needle " + filler[position:]

        lines = matching_lines(pattern, f"first\n{long_line}\nlast\n")

        assert len(lines) == 1
        number, shown_text = lines[0]
        assert number == 2
        assert "needle" in shown_text
        assert len(shown_text) < 2_000

    def test_each_match_of_a_long_line_is_found_with_its_position(self) -> None:
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
        self, pattern: str, expected_lines: int
    ) -> None:
        """`^` matches where the line begins, not where a part of it does."""
        assert len(matching_lines(pattern, WORDS * 30_000)) == expected_lines


TEXT_LONGER_THAN_A_PART = "x" + "-" * 2 * bounds.MOST_SEARCHED_LINE_BYTES + "y"
"""The line "x---...---y", whose first and last letter are never in the same part."""


class TestMatchesAcrossParts:
    """A pattern may match across the parts of a line; the result says so.

    The line "x---...---y" is longer than a part, so that no part has both its first and last
    letter.
    """

    def test_a_pattern_that_may_match_across_the_parts_of_a_line_is_reported(
        self,
    ) -> None:
        """Long lines are searched in parts. "x---...---y" matches `x-+y`, but no part of it has
        both letters. The result says that a match may be missing."""
        result = FileTree({"/a.txt": TEXT_LONGER_THAN_A_PART}).search("x-+y")

        assert result["matches"] == []
        assert result["truncated"] is True
        assert "searched in parts" in str(result["searched"])

    def test_a_fixed_text_cannot_be_missed_between_the_parts_of_a_line(self) -> None:
        """The line is searched in parts, each of which begins with the end of the one before.

        This overlap is longer than any fixed text, so that the result is complete.
        """
        result = FileTree({"/a.txt": TEXT_LONGER_THAN_A_PART}).search("not there")

        assert result["truncated"] is False


class TestFormsOfCharacters:
    """Another form of the same characters is found, and shown as written.

    An é may be one character or two, and a digit may be a wide one of Japanese texts. A script
    need not know how a file spells them.
    """

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
        self, pattern: str, text: str
    ) -> None:
        """A script need not know how a file spells é, or whether its digits are wide."""
        assert matching_lines(pattern, f"nothing\n{text}\n") == [(2, text)]


class TestRandomTexts:
    """All matches are shown, or the result is marked as truncated.

    A model that gets a search result without the mark may conclude that there is no other match.
    So a match may be missing only from a result with the mark.
    """

    def test_all_matches_are_shown_or_the_result_is_marked_as_truncated(self) -> None:
        """60 texts of random words, such as "w7 w31 w7 ", are searched for one of the words.

        A line of more than 250 kB is searched in parts, and the result is then marked as truncated.
        """
        random.seed(5)
        vocabulary = [f"w{number}" for number in range(50)]
        most_words = 120_000  # which are about 460 kB
        no_limit = 0
        truncated_results = 0
        for _ in range(60):
            words = random.choices(vocabulary, k=random.randrange(1, most_words))
            # All words in one line, a word a line, or lines of a few words.
            separators = random.choice([[" "], ["\n"], [" ", "\n"]])
            text = "".join(word + random.choice(separators) for word in words)
            wanted_word = random.choice(vocabulary)

            result = FileTree({"/a.txt": text}).search(
                rf"\b{wanted_word}\b", limit=no_limit
            )

            shown_words = []
            for match in result["matches"]:
                shown_words += str(match["text"]).split()
            # A match in a long line is shown with the text around it, so that a word between two
            # matches is shown twice.
            shows_all = shown_words.count(wanted_word) >= words.count(wanted_word)
            assert result["truncated"] or shows_all
            if result["truncated"]:
                truncated_results += 1

        assert 0 < truncated_results < 60


def test_a_search_ends_at_its_deadline():
    """100,000 texts, each of which this pattern takes long to search, get 0.2 s together."""
    search = LineSearch("(a|b)*a(a|b){300}c", timeout_s=0.2)
    text = b"ab" * 1_000 + b"\n"

    matching_lines = []
    for _ in range(100_000):
        matching_lines += search.lines_of(text)

    assert matching_lines == []
    assert search.is_late

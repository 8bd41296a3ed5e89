"""Every match of a search is shown, or its result says `truncated`.

`random_text(rng)` is a text of up to 1.5 million characters, in lines of any length.
"""

import random
from pathlib import Path

import pytest

from tests.benchmarks.files.opened_files import environment_of
from tests.benchmarks.files.whole_results.random_texts import call, random_text


@pytest.mark.parametrize("pattern", ["needle", r"n\w+dle", r"\bneedle\b"])
def test_search_shows_the_match_or_is_truncated(
    rng: random.Random, tmp_path: Path, pattern: str
) -> None:
    """The word "needle" is put at a random place of a text."""
    text = random_text(rng)
    index = rng.randrange(len(text))
    text_with_needle = f"{text[:index]} needle {text[index:]}"
    (tmp_path / "a.txt").write_bytes(text_with_needle.encode())

    result = call(environment_of(tmp_path), "search", pattern=pattern, limit=0)

    if not result["truncated"]:
        shown_text = "".join(match["text"] for match in result["matches"])
        assert "needle" in shown_text


def test_search_for_any_character_finds_every_filled_line_or_is_truncated(
    rng: random.Random, tmp_path: Path
) -> None:
    """The pattern `.` matches in every line that is not empty."""
    text = random_text(rng)
    (tmp_path / "a.txt").write_bytes(text.encode())
    filled_lines = set()
    for number, line in enumerate(text.split("\n"), start=1):
        if line.removesuffix("\r"):  # Lines may end as on Windows.
            filled_lines.add(number)

    result = call(environment_of(tmp_path), "search", pattern=".", limit=0)

    if not result["truncated"]:
        found_lines = {match["line"] for match in result["matches"]}
        assert found_lines >= filled_lines

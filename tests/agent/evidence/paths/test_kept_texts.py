"""The different texts that a trial has seen, each kept once, in limited memory.

    seen_texts = SeenTexts(most_bytes=1_000)
    seen_texts.add(SeenText("fee: 7"))  # SeenText("fee: 7"), which is kept

A text takes a byte for each ASCII character, and `TEXT_OVERHEAD_BYTES` besides.
"""

import pytest

from controlplane.agent.evidence.paths.seen_texts import TEXT_OVERHEAD_BYTES, SeenTexts
from controlplane.gates.trial import SeenText


def test_a_text_that_fits_is_kept_as_a_whole() -> None:
    seen_texts = SeenTexts(most_bytes=7)

    kept = seen_texts.add(SeenText("fee: 21"))

    assert kept.text == "fee: 21"
    assert not kept.is_cut


def test_of_a_text_that_does_not_fit_the_beginning_is_kept() -> None:
    """A word that is not in the kept part may be in the rest, so the text is marked as cut."""
    seen_texts = SeenTexts(most_bytes=4)

    kept = seen_texts.add(SeenText("fee: 21"))

    assert kept.text == "fee:"
    assert kept.is_cut


def test_after_a_text_that_was_cut_there_is_no_room_for_others() -> None:
    seen_texts = SeenTexts(most_bytes=4)
    seen_texts.add(SeenText("fee: 21"))

    kept = seen_texts.add(SeenText("late: 7"))

    assert kept.text == ""
    assert kept.is_cut


def test_a_text_takes_room_from_the_next_one() -> None:
    seen_texts = SeenTexts(most_bytes=7 + TEXT_OVERHEAD_BYTES + 4)
    seen_texts.add(SeenText("fee: 21"))

    kept = seen_texts.add(SeenText("late: 7"))

    assert kept.text == "late"
    assert kept.is_cut


def test_a_text_that_is_seen_again_takes_no_more_room() -> None:
    seen_texts = SeenTexts(most_bytes=7 + TEXT_OVERHEAD_BYTES + 4)
    first = seen_texts.add(SeenText("fee: 21"))

    again = seen_texts.add(SeenText("fee: 21"))

    assert again is first
    assert seen_texts.add(SeenText("late: 7")).text == "late"


@pytest.mark.parametrize(
    ("text", "kept_text"),
    [
        pytest.param("abcdefgh", "abcdefgh", id="a byte for each character"),
        pytest.param("äbcdefgh", "äb", id="four bytes for each if one is not ASCII"),
    ],
)
def test_the_room_is_counted_in_bytes(text: str, kept_text: str) -> None:
    seen_texts = SeenTexts(most_bytes=8)

    assert seen_texts.add(SeenText(text)).text == kept_text

"""Numbers and untrusted text, formatted for people."""

import pytest

from controlplane.view.display_text import (
    age_text,
    cause_of,
    clock_text,
    cost_text,
    count_text,
    sanitize,
    score_text,
    span_text,
    tokens_text,
)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (sanitize("a\u061cb"), "a\ufffdb"),
        (cause_of("HTTP 503; asking again in 1.0 s (try 2)"), cause_of("HTTP 503; asking again in 2.0 s (try 3)")),
        (cause_of("role x failed; given up at try 4: 3 s"), cause_of("role x failed; given up at try 5: 3 s")),
        (age_text(0.4), "0 s"),
        (age_text(59.9), "59 s"),
        (age_text(60), "1 min"),
        (age_text(7200), "2 h"),
        (age_text(200_000), "2 d"),
        (clock_text(7), "0:07"),
        (clock_text(760), "12:40"),
        (clock_text(3723), "1:02:03"),
        (span_text(3.4), "3 ms"),
        (span_text(4200), "4.2 s"),
        (span_text(760_000), "12:40"),
        (tokens_text(812), "812 tokens"),
        (tokens_text(45_200), "45.2k tokens"),
        (tokens_text(3_100_000), "3.1M tokens"),
        (cost_text(0.0412), "$0.0412"),
        (cost_text(12.5), "$12.50"),
        (count_text(1, "trial"), "1 trial"),
        (count_text(1200, "trial"), "1,200 trials"),
        (count_text(2, "retry"), "2 retries"),
        (score_text(None), "-"),
        (score_text(0.5), "0.50"),
    ],
)
def test_numbers_are_said_in_few_characters(said: str, text: str) -> None:
    assert said == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ä € 漢\n\nnext", "plain ä € 漢\n\nnext"),
        ("\x1b[2Jgone", "␛[2Jgone"),
        ("bell\x07 back\x08 return\r", "bell␇ back␈ return␍"),
        ("windows\r\nline", "windows\nline"),
        ("\x9b31m", "\ufffd31m"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("right \u202e left", "right \ufffd left"),
        ("\ttab", "    tab"),
    ],
)
def test_signs_that_steer_a_terminal_are_made_visible(text: str, shown: str) -> None:
    assert sanitize(text) == shown

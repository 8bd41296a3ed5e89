"""The diff of a change, which a user reads before they consent, names characters that are not seen.

A text may have characters that a terminal does not show, or that look like others:

    -pay
    +p‹U+200B ZERO WIDTH SPACE›ay
"""

from pathlib import Path

import pytest

from tests.controlplane.file_changes.diffs.shown_diff import diff_text


@pytest.mark.parametrize(
    ("old_bytes", "new_text", "expected_part"),
    [
        pytest.param(
            b"pay\n",
            "p\u200bay\n",
            "+p‹U+200B ZERO WIDTH SPACE›ay",
            id="invisible space in a word",
        ),
        pytest.param(
            b"pay\n",
            "pay\u3164\u2800\n",
            "‹U+3164 HANGUL FILLER›‹U+2800 BRAILLE PATTERN BLANK›",
            id="letters that look like spaces",
        ),
        pytest.param(
            b"a\n",
            "a\U000e0100\ufe0f\n",
            "+a‹U+E0100 VARIATION SELECTOR-17›‹U+FE0F VARIATION SELECTOR-16›",
            id="invisible variation selectors",
        ),
        pytest.param(
            b"a\n",
            "\ufeffa\n",
            "+‹U+FEFF ZERO WIDTH NO-BREAK SPACE›a",
            id="byte-order mark",
        ),
        pytest.param(
            b"a\n",
            "a\u202egpj\n",
            "+a‹U+202E RIGHT-TO-LEFT OVERRIDE›gpj",
            id="text shown from right to left",
        ),
        pytest.param(
            b"a\n",
            "a\x1b[2K\n",
            "+a‹U+001B CONTROL›[2K",
            id="command to the terminal",
        ),
        pytest.param(
            b"a b\n",
            "a\u00a0b\n",
            "+a‹U+00A0 NO-BREAK SPACE›b",
            id="space that looks like another",
        ),
    ],
)
def test_a_diff_names_characters_that_are_not_seen(
    tmp_path: Path, old_bytes: bytes, new_text: str, expected_part: str
) -> None:
    """They may change what a program or a model reads."""
    assert expected_part in diff_text(tmp_path, old_bytes, new_text)

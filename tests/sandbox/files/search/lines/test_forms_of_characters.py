"""A search finds another form of the same characters, and shows the text as it is written.

An é may be one character or two, and a digit may be a wide one of Japanese texts: the pattern
"Invoice 12" finds "Ｉｎｖｏｉｃｅ　１２". A script need not know how a file spells them.
"""

import unicodedata

import pytest

from tests.sandbox.files.search.lines.matching_lines import matching_lines


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

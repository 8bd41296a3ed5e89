"""Below an answer, footnotes say where its values were found.

    It is 300 EUR [1].

      [1] /a.md:1

A value that nothing supports is marked in the answer: `555 [unverified]`.
"""

from __future__ import annotations

import html

import pytest

from controlplane.gates.support.footnotes import TextFormat, footnoted
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.value_support import ValueMarker


@pytest.mark.parametrize(
    ("answer", "footnoted_text", "footnotes"),
    [
        pytest.param(
            "It is for L-01.",
            "It is for L-01 [1].",
            "  [1] /a.md:1",
            id="an id as in the file",
        ),
        pytest.param(
            "About 1,283 EUR.",
            "About 1,283 [1] EUR.",
            "  [1] /a.md:1 (rounded from 1283.40)",
            id="a rounded amount",
        ),
        pytest.param(
            "It is 555 EUR.",
            "It is 555 [unverified; nearest: 1283.40, /a.md:1] EUR.",
            "unverified: 555",
            id="an invented amount",
        ),
        pytest.param(
            "It is for L-01:\n\n```\nfee = 999\n```",
            "It is for L-01 [1]:\n\n```\nfee = 999\n```",
            "  [1] /a.md:1",
            id="a code block, in which nothing is marked",
        ),
    ],
)
def test_a_value_gets_a_footnote_that_says_where_it_was_found(
    answer: str, footnoted_text: str, footnotes: str
) -> None:
    marker = ValueMarker([Source("/a.md", "It is 1283.40 EUR for L-01.\n")])

    text, notes = footnoted(answer, marker.marks(answer))

    assert text == footnoted_text
    assert notes == footnotes


def test_footnotes_are_numbered_and_unverified_values_come_last() -> None:
    """The answer has an amount, a code block, an invented amount and an id, in this order."""
    answer = "About 1,283 EUR.\n\n```\nfee = 999\n```\nNot 555 EUR (L-01)."
    marker = ValueMarker([Source("/a.md", "It is 1283.40 EUR for L-01.\n")])

    text, notes = footnoted(answer, marker.marks(answer))

    assert text == (
        "About 1,283 [1] EUR.\n"
        "\n"
        "```\n"
        "fee = 999\n"
        "```\n"
        "Not 555 [unverified; nearest: 1283.40, /a.md:1] EUR (L-01 [2])."
    )
    assert notes == (
        "  [1] /a.md:1 (rounded from 1283.40)\n"  # the amount
        "  [2] /a.md:1\n"  # the id
        "unverified: 555"
    )


def test_the_path_beside_an_unverified_value_is_escaped_for_html() -> None:
    """A file may have a name such as `<b>.md`, and answers are also shown on a web page."""
    marker = ValueMarker([Source("/<b>.md", "It is 1283.40 EUR for L-01.\n")])
    answer = "It is 555 EUR for L-01."
    text_format = TextFormat(escape=html.escape)

    text, _notes = footnoted(answer, marker.marks(answer), text_format=text_format)

    assert "/&lt;b&gt;.md:1]" in text

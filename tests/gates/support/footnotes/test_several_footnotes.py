"""Footnotes below an answer are numbered, and say where each of its values was found.

It is for L-01 [1], at 300 EUR [2].

  [1] /a.md:1
  [2] /fees.csv:4
"""

from __future__ import annotations

import html

from controlplane.gates.support.footnotes import TextFormat, footnoted
from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import ValueMarker


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

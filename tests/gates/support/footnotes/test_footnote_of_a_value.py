"""Below an answer, a footnote says where a value was found; one that was not found is marked.

It is 300 EUR [1], not 555 [unverified] EUR.

  [1] /a.md:1
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.footnotes import footnoted
from controlplane.gates.support.sources import Source
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

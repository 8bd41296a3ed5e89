"""Gate 8: of a list of alternative tokens, an answer contains exactly one.

A script declares the literal strings that its answer must contain. `tokens = ["ja", "nein"]`
demands both words, and `tokens = [["ja", "nein"]]`, a list in the list, exactly one of them.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.literal_tokens.token_objections import objection_to_tokens


@pytest.mark.parametrize(
    ("answer", "alternatives"),
    [
        pytest.param("ja", ["ja", "nein"], id="one of two words"),
        pytest.param("ja ja", ["ja", "nein"], id="the same word twice"),
        pytest.param("<YES>", ["<YES>", "<NO>"], id="in angle brackets"),
        pytest.param("TRUE(1)", ["TRUE(1)", "FALSE(0)"], id="with brackets inside"),
        # One alternative is part of the other: only the longer one counts.
        pytest.param(
            "unavailable", ["available", "unavailable"], id="a part of a longer word"
        ),
        pytest.param(
            "not available", ["available", "not available"], id="a part of two words"
        ),
    ],
)
def test_an_answer_with_one_of_its_alternatives_passes(
    answer: str, alternatives: list[str]
) -> None:
    assert objection_to_tokens(answer, [alternatives]) == ""


@pytest.mark.parametrize(
    ("answer", "tokens", "objection"),
    [
        pytest.param(
            "ja",
            ["ja", "nein"],
            "list inside the list",
            id="alternatives declared as tokens",
        ),
        pytest.param(
            "ja oder nein",
            [["ja", "nein"]],
            "holds 2 of the alternatives",
            id="both alternatives",
        ),
        pytest.param(
            "available or unavailable",
            [["available", "unavailable"]],
            "holds 2",
            id="both alternatives, of which one contains the other",
        ),
        pytest.param(
            "vielleicht",
            [["ja", "nein"]],
            "holds none of the alternatives",
            id="no alternative",
        ),
    ],
)
def test_an_answer_without_exactly_one_alternative_is_rejected(
    answer: str, tokens: object, objection: str
) -> None:
    assert objection in objection_to_tokens(answer, tokens)

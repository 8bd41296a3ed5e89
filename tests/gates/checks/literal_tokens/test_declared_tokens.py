"""Gate 8: an answer contains each token that its script declares, as a word of its own.

A script may declare `tokens = ["b-104"]`, so that its answer can be trusted to have this literal
string: "the book (b-104)." passes, and "b-1045" is rejected, which is another id.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.literal_tokens.token_objections import objection_to_tokens


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        pytest.param("küste", [], id="none declared"),
        pytest.param("b-104", ["b-104"], id="the whole answer"),
        pytest.param("b-104", "b-104", id="a text instead of a list"),
        pytest.param("the book (b-104).", ["b-104", "book"], id="between punctuation"),
        pytest.param("21 Tage", ["21"], id="a number"),
    ],
)
def test_an_answer_with_its_declared_tokens_passes(answer: str, tokens: object) -> None:
    assert objection_to_tokens(answer, tokens) == ""


@pytest.mark.parametrize(
    ("answer", "token"),
    [
        pytest.param("b-1045", "b-104", id="a digit behind it"),
        pytest.param("xb-104", "b-104", id="a letter before it"),
        pytest.param("unavailable", "available", id="the end of a word"),
        pytest.param("naja", "ja", id="the end of a short word"),
        pytest.param("jaé", "ja", id="a letter with an accent behind it"),
    ],
)
def test_a_token_inside_a_longer_word_does_not_count(answer: str, token: str) -> None:
    assert f"`{token}` is not in the answer" in objection_to_tokens(answer, [token])

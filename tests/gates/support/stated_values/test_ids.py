"""A text states an id, a version or a telephone number of an answer, whatever its spelling there.

A value of an answer is supported if a text that the agent read states it. "the book B-104" states
the answer "b_104", but not "b-105".
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.answer_values import answer_values, values_reported


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # Ids, versions and telephone numbers
        ("b_104", "the book B-104"),
        ("INV-9999", "請求書INV-9999の金額"),
        ("3.1.0", "python < '3.10'\nwerkzeug>=3.1.0,"),
        ("+49301234567", "Tel. +49 30 1234567"),
        ("+1 415 555 0134", "phone: +1 (415) 555-0134"),
    ],
)
def test_a_value_is_stated_in_any_spelling(answer: str, text: str) -> None:
    values = [value.text for value in answer_values(answer)]

    stated_values = values_reported(answer, text)

    assert values != []
    assert stated_values == values


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # A part of a longer number, id or version
        ("350 zł", "48 350,00 zł"),
        ("23 items", "since 2023"),
        ("1234567", "+49 30 1234567"),
        ("3.1.0", "310 ml, since 3.10, not 13.1.0 nor 3.1.0.2"),
        ("2.14", "v2.14.3"),
        # Another id
        ("9999", "INV-9998の"),
        ("FB-1934-02", "FA-1934-02"),
        ("b-105", "the book B-104"),
    ],
)
def test_a_text_with_a_similar_value_does_not_state_it(answer: str, text: str) -> None:
    stated_values = values_reported(answer, text)

    assert stated_values == []

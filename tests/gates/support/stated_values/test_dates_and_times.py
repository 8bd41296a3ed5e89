"""A text states the date or time of an answer, whatever its spelling there.

A value of an answer is supported if a text that the agent read states it. "due 2031-05-04" states
the answer "4 May 2031", in any of many languages, but not "5 May 2031".
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.answer_values import answer_values, values_reported


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # Dates
        ("4 May 2031", "due 2031-05-04"),
        ("4 May", "due 2031-05-04"),
        ("04/05/2031", "due 2031-04-05"),
        ("2027-04-07", "20270407"),
        ("7 April 2027", "2027\u201104\u201107"),
        ("11 November", "Geschlossen am 11.11. und am 24.12."),
        ("March 2026", "paid 2026-03-12"),
        ("2026", "令和8年の報告"),
        ("15/11/2027", "El contrato vence el 15 de noviembre de 2027."),
        ("2026-05-11", "納期は2026年5月11日（月）です。"),
        ("July 4, 1776", "signed on 4th July, 1776"),
        # Times of day
        ("14:00", "from 14:00 on"),
        ("9:00", "otwarte od godz. 9.00"),
        ("11:30", "Møtet begynner kl. 11.30"),
        ("15:00 CEST", "starts at 13:00 UTC"),
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
        # Dates
        ("12 March 2026", "in 2026-03"),
        ("2031-05-04", "every 4 May"),
        ("5 May 2031", "due 2031-05-04"),
        ("2026", "令和9年の報告"),
        # Times of day
        ("9:00", "closes at 17:00"),
        ("17:10", "05:10"),
        ("15:00 CEST", "from 14:00 on"),
        ("15:00", "from 14:00 on"),
        ("10:00 CET", "10:00 JST"),
        ("18時間", "18:00に閉まる"),  # 18 hours
        ("20.00 EUR", "(20:00)"),
    ],
)
def test_a_text_with_a_similar_value_does_not_state_it(answer: str, text: str) -> None:
    stated_values = values_reported(answer, text)

    assert stated_values == []

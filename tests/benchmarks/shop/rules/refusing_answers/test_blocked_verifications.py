"""The rule `blocked-verification`: an answer with the outcome OK must not tell of a block.

A request asks to restart the verification of a payment's card. If that is not possible (yet), it is
blocked, and the right outcome is another one than OK. So the rule objects to an OK whose text says
that the verification is blocked. `rules_against` returns the names of the rules that object.
"""

import pytest

from controlplane.gates.submission import OK
from tests.benchmarks.shop.rules.judged_answers import rules_against


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        pytest.param(
            "Restart the card verification of pay_0001.",
            "It is blocked.",
            id="blocked",
        ),
        pytest.param(
            "Restart the 3DS step of pay_0001.",
            "It cannot be restarted.",
            id="cannot be restarted, and another wording of the request",
        ),
        pytest.param(
            "Restart the card verification of pay_0001.",
            "3",
            id="a number: the limit of attempts, which was reached",
        ),
    ],
)
def test_an_ok_that_tells_of_a_block_is_objected_to(
    request_text: str, answer: str
) -> None:
    rules = rules_against(request_text, answer, cites=[], outcome=OK)

    assert rules == ["blocked-verification"]

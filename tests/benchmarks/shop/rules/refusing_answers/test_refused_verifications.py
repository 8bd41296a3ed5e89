"""A refusal to verify the card of a payment once more must have its recorded reason.

A card is verified a few times, with pauses between; then that is blocked. The reason may be the time of
the next attempt. The rule `blocked-verification` objects to a refusal without it.
"""

from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.shop.rules.judged_answers import rules_against


def test_a_refusal_has_a_recorded_reason() -> None:
    """The answer is only the name of its outcome."""
    rules = rules_against(
        "Restart the card verification of pay_0001.",
        UNSUPPORTED,
        cites=[],
        outcome=UNSUPPORTED,
    )

    assert rules == ["blocked-verification"]


def test_a_refusal_has_the_exact_recorded_time() -> None:
    """No record that was read has this time."""
    rules = rules_against(
        "Restart the card verification.",
        "Retry on 2031-05-04 10:00.",
        cites=[],
        outcome=UNSUPPORTED,
    )

    assert rules == ["blocked-verification"]

import pytest

from benchmarks.shop.preflight.refund_question import refund_question
from tests.toolkit.sample_records import CLERK, CUSTOMER, sample_records

BOTH = ("/proc/pay/pay-08.json", "/proc/pay/pay-07.json")


@pytest.mark.parametrize(
    ("text", "why", "records"),
    [
        ("Refund the EUR 5.00", "several_payments", BOTH),
        ("Refund pay-07, please", "rejected_return", (*BOTH, "/proc/back/ret-01.json")),
        ("Refund ret-01, please", "rejected_return", (*BOTH, "/proc/back/ret-01.json")),
    ],
)
def test_what_is_not_certain_is_asked_back(text, why, records):
    found = refund_question(sample_records(), CUSTOMER, text)
    assert (found.why, found.records) == (why, records)


@pytest.mark.parametrize("text", ["Refund pay-08", "Refund EUR 6.00", "Where is my EUR 5.00?", "Refund order-01"])
def test_what_is_certain_is_not_asked(text):
    assert refund_question(sample_records(), CUSTOMER, text) is None


def test_staff_is_not_asked():
    assert refund_question(sample_records(), CLERK, "Refund the EUR 5.00") is None

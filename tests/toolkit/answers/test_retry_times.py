import pytest

from toolkit.answers import record_ids, retry_time, with_retry_time

FIRST, SECOND = "2026-01-02T03:04:05Z", "2026-05-06T07:08:09Z"


@pytest.mark.parametrize(
    ("document", "ids", "until"),
    [
        (f"pay-1 again from {FIRST}. pay-2 again from {SECOND}.", ["pay-2"], SECOND),
        (f"pay_1: {FIRST}", ["PAY-1"], FIRST),
        (f"pay-1: {FIRST}", ["pay-2"], ""),
        (f"pay-1 is fine.\npay-2: {FIRST}", ["pay-1"], ""),
        (f"Nothing goes before {FIRST}.", ["pay-1"], FIRST),
        ("No time is given for pay-1.", ["pay-1"], ""),
    ],
)
def test_an_instant_belongs_to_the_id_before_it(document, ids, until):
    ids_with_digits = [each.replace("-", "-0") for each in ids]
    assert retry_time(ids_with_digits, document.replace("pay-", "pay-0").replace("pay_", "pay_0")) == until


def test_the_records_own_field_goes_first():
    record = {"id": "pay-01", "created_at": FIRST, "check": {"retry_after": SECOND}}
    assert retry_time(["pay-01"], f"pay-01: {FIRST}", record) == SECOND


@pytest.mark.parametrize(
    ("message", "until", "said"),
    [
        ("Sorry", FIRST, f"Sorry. It is blocked until {FIRST}."),
        ("", FIRST, f"It is blocked until {FIRST}."),
        (f"Blocked until {FIRST}.", FIRST, f"Blocked until {FIRST}."),
        ("Sorry", "", "Sorry"),
    ],
)
def test_a_message_says_once_until_when(message, until, said):
    assert with_retry_time(message, until) == said


def test_ids_of_a_kind_are_found_in_paths_and_text():
    assert record_ids(["/proc/pay/pay-07.json", "/x/order-01.json"], "and pay-07, PAY-08", kinds=("pay",)) == [
        "pay-07",
        "PAY-08",
    ]

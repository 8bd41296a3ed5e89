"""A record that the request names is shown in the first message in one line, with all of its fields.

"Refund pay-9." shows `/data/paid/pay-9.json`, which then counts as read and can be cited.
"""

from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import Shop


def test_a_shown_record_has_no_white_space_between_its_fields() -> None:
    """A record in several lines is shown in one, so more of them have room."""
    files = {
        "/RULES.md": "Carts.\n",
        "/data/paid/pay-9.json": '{\n  "id": "pay-9",\n  "cart": "cart-1"\n}\n',
    }

    trial = OpenedTrial("Refund pay-9.", Shop(files=files))

    shown_record = trial.section("read /data/paid/pay-9.json")
    assert shown_record == ['{"id":"pay-9","cart":"cart-1"}']
    white_space_note = "white space is shortened (`read` returns the exact text)"
    assert white_space_note in trial.message


def test_a_shown_record_counts_as_read_and_can_be_cited() -> None:
    files = {
        "/RULES.md": "Carts.\n",
        "/data/paid/pay-9.json": '{"id": "pay-9", "cart": "cart-1"}',
    }

    trial = OpenedTrial("Refund pay-9.", Shop(files=files))

    path = trial.check_citation("/data/paid/pay-9.json", "the payment of cart-1")
    assert path == "/data/paid/pay-9.json"


def test_a_named_record_is_shown_with_its_long_fields() -> None:
    record = '{"id": "emp-5", "note": "' + "n" * 500 + '"}'
    files = {"/RULES.md": "Carts.\n", "/data/staff/emp-5.json": record}

    trial = OpenedTrial("Check emp-5.", Shop(files=files))

    assert trial.section("read /data/staff/emp-5.json") == [record]

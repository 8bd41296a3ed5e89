"""Records that the request names, and those that they are linked to, are in the first message.

"Check out cart-1." shows `/data/carts/cart-1.json`, and the payment with the field `"cart": "cart-1"`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_SCHEMA, Shop

RULES = "What no document tells is not done here.\n"


@pytest.mark.parametrize(
    "side_by_side",
    [
        pytest.param(False, id="calls one after the other"),
        pytest.param(True, id="calls side by side"),
    ],
)
def test_a_named_record_and_linked_records_are_shown(side_by_side: bool) -> None:
    files = {
        "/RULES.md": RULES,
        "/data/carts/cart-1.json": '{"id": "cart-1", "item": "ITEM-A-1"}',
        "/data/carts/cart-2.json": '{"id": "cart-2", "item": "ITEM-B-2"}',
        "/data/items/ITEM-A-1.json": '{"sku": "ITEM-A-1", "price": 3}',
        "/data/items/ITEM-B-2.json": '{"sku": "ITEM-B-2", "price": 4}',
        "/data/paid/pay-8.json": '{"id": "pay-8", "cart": "cart-2"}',
        "/data/paid/pay-9.json": '{"id": "pay-9", "cart": "cart-1"}',
    }
    schema = replace(SHOP_SCHEMA, reads_side_by_side=side_by_side)

    trial = OpenedTrial("Check out cart-1.", Shop(schema, files=files))

    shown_records = [file.path for file in trial.files if file.chars > 0]
    assert shown_records == [
        "/data/carts/cart-1.json",
        "/data/items/ITEM-A-1.json",  # The cart has the item,
        "/data/paid/pay-9.json",  # and the payment has the cart.
    ]
    assert trial.section("read /data/carts/cart-1.json") != []
    assert trial.section("read /data/items/ITEM-A-1.json") != []
    assert trial.section("read /data/paid/pay-9.json") != []
    assert "cart-2" not in trial.message


def test_a_shown_record_has_no_white_space_between_its_fields() -> None:
    """A record in several lines is shown in one, so more of them have room."""
    files = {
        "/RULES.md": RULES,
        "/data/paid/pay-9.json": '{\n  "id": "pay-9",\n  "cart": "cart-1"\n}\n',
    }

    trial = OpenedTrial("Refund pay-9.", Shop(files=files))

    shown_record = trial.section("read /data/paid/pay-9.json")
    assert shown_record == ['{"id":"pay-9","cart":"cart-1"}']
    white_space_note = "white space is shortened (`read` returns the exact text)"
    assert white_space_note in trial.message


def test_a_shown_record_counts_as_read_and_can_be_cited() -> None:
    files = {
        "/RULES.md": RULES,
        "/data/paid/pay-9.json": '{"id": "pay-9", "cart": "cart-1"}',
    }

    trial = OpenedTrial("Refund pay-9.", Shop(files=files))

    path = trial.check_citation("/data/paid/pay-9.json", "the payment of cart-1")
    assert path == "/data/paid/pay-9.json"


def test_a_named_record_is_shown_with_its_long_fields() -> None:
    record = '{"id": "emp-5", "note": "' + "n" * 500 + '"}'
    files = {"/RULES.md": RULES, "/data/staff/emp-5.json": record}

    trial = OpenedTrial("Check emp-5.", Shop(files=files))

    assert trial.section("read /data/staff/emp-5.json") == [record]


def test_the_journal_tells_of_the_best_named_records_why_they_were_chosen() -> None:
    """The request names 80 carts. Twelve of them are shown, and of the others twelve are listed."""
    files = {"/RULES.md": RULES}
    for number in range(10, 90):
        files[f"/data/carts/cart-{number}.json"] = f'{{"id": "cart-{number}"}}'
    names = " ".join(f"cart-{number}" for number in range(10, 90))

    trial = OpenedTrial(f"Count {names}.", Shop(files=files))

    assert len(trial.files) == 24
    assert trial.files[0].reason.startswith("named")
    assert trial.files[0].chars > 0

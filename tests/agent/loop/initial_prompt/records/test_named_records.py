"""Records that the request names, and those that they are linked to, are in the first message.

"Check out cart-1." shows `/data/carts/cart-1.json`, and the payment with the field `"cart": "cart-1"`. The
journal has the `files` of the message, each with the reason for it, and how many of its `chars` are shown.
"""

from dataclasses import replace

import pytest

from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_SCHEMA, Shop


@pytest.mark.parametrize(
    "side_by_side",
    [
        pytest.param(False, id="reads one after the other"),
        pytest.param(True, id="several reads at a time"),
    ],
)
def test_a_named_record_and_linked_records_are_shown(side_by_side: bool) -> None:
    files = {
        "/RULES.md": "Carts.\n",
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


def test_the_journal_has_the_first_24_named_records_with_the_reason() -> None:
    """The request names 80 carts. Twelve of them are shown, and twelve more are only listed."""
    files = {"/RULES.md": "Carts.\n"}
    for number in range(10, 90):
        files[f"/data/carts/cart-{number}.json"] = f'{{"id": "cart-{number}"}}'
    names = " ".join(f"cart-{number}" for number in range(10, 90))

    trial = OpenedTrial(f"Count {names}.", Shop(files=files))

    shown_files = [file for file in trial.files if file.chars > 0]
    assert len(trial.files) == 24
    assert len(shown_files) == 12
    assert trial.files[0] in shown_files
    for file in trial.files:
        assert file.reason.startswith("named")

"""A function that is called with an unknown name refuses, and names the three closest ones.

By these, the model can correct its script: "there is no file /docs/lamp.md; closest: ...".
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.shop.functions.goods_records import basket
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


def test_an_unknown_record_is_refused_with_the_closest_records() -> None:
    shop = written_shop(
        {
            "/proc/carts/basket-4.json": basket("basket-4", {}),
            "/proc/carts/basket-40.json": basket("basket-40", {}),
            "/proc/carts/basket-41.json": basket("basket-41", {}),
            "/proc/carts/basket-7.json": basket("basket-7", {}),
        }
    )

    with pytest.raises(CallError) as error:
        function_result(shop, "may_use", record="basket-42")

    assert error.value.message == (
        "no single record is called 'basket-42'; closest: /proc/carts/basket-4.json, "
        "/proc/carts/basket-41.json, /proc/carts/basket-40.json"
    )


def test_an_unknown_file_is_refused_with_the_closest_files() -> None:
    """`fraud_rows` finds the fraudulent rows of a file of payments."""
    shop = written_shop(
        {"/docs/lamps.md": "", "/docs/lamp-oil.md": "", "/docs/old-lamp.md": ""}
    )

    with pytest.raises(CallError) as error:
        function_result(shop, "fraud_rows", path="/docs/lamp.md")

    assert error.value.message == (
        "there is no file /docs/lamp.md; closest: "
        "/docs/lamps.md, /docs/old-lamp.md, /docs/lamp-oil.md"
    )

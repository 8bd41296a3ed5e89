"""A shop with one basket, for tests of its checkout."""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.tasks.tool_changes.checked_out_basket import (
    BASKET,
    basket_text,
)
from tests.benchmarks.shop.functions.goods_records import written_shop


@pytest.fixture
def shop() -> EcomEnvironment:
    """A shop whose only file is an active basket, `{"id": "basket-4", "status": "active"}`."""
    return written_shop({BASKET: basket_text(status="active")})

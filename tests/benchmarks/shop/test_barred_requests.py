"""No function of the shop serves a barred request, whatever its family.

A request is barred if this asker may not ask it, or if it is about a product of which nothing may be
told yet. Tests that play trials get the right calls of each task, and a barred one has none:

    right_calls("stock-count", generate_variant("stock-count: barred", seed="4"))  # []
"""

import pytest

from tests.benchmarks.ecom.variant_ids import family_of_variant, variant_ids
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.shop.calls.family_calls import right_calls

BARRED_VARIANTS = [
    variant_id for variant_id in variant_ids() if variant_id.endswith(": barred")
]
"""One for each family that may be barred: `["stock-count: barred", ...]`."""


@pytest.mark.parametrize("variant_id", BARRED_VARIANTS)
def test_a_barred_request_has_no_right_calls(variant_id: str) -> None:
    """Its truth has other details than those of its family, so they cannot say what to call."""
    task = generate_variant(variant_id, seed="4")

    assert right_calls(family_of_variant(variant_id), task) == []

"""An embargo on a product is noted in a generated shop, too, with the wordings of its pages.

The request is "Can I buy what is on my receipt again?". A product on it is under embargo: nothing may
be told of it before a day. The right answer says so: "Nothing is told of it before 2027-03-09."
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.function_results import function_result


@pytest.mark.parametrize("seed", ["seed 5", "seed 6", "seed 7"])
def test_the_embargo_is_noted_with_the_pages_of_a_generated_shop(seed: str) -> None:
    task = generate_variant("receipt-rebuy: barred", seed)
    shop = EcomEnvironment(workspace_of(task.world))

    settled = function_result(shop, "settle_receipt")

    last_word = task.truth.message.split()[-1]
    day = last_word.removesuffix(".")
    expected_note = f"`embargo_until` {day}, which is still to come"
    assert expected_note in " ".join(settled["notes"])

"""Four generated worlds: shops with branches, products, baskets, payments, returns and staff.

@pytest.mark.parametrize("world", WORLDS)
def test_...(world: World) -> None:
    world.baskets  # {"basket-0012": Basket(...), ...}
"""

from controlplane.benchmarks.ecom.world.generator import generate

WORLDS = [generate(f"world|{number}") for number in range(4)]

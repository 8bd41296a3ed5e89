"""The catalogue of a world, and the descriptions that customers give of its products."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.ecom.world.generator import World
from tests.benchmarks.ecom.world.sample_worlds import WORLDS


@pytest.mark.parametrize("world", WORLDS[:10])
def test_descriptions_fit_as_many_products_as_they_should(world: World) -> None:
    rng, catalogue = Random(1), world.catalogue
    for _ in range(60):
        assert len(catalogue.vague(rng, most=2).products) == 2
        shelf = catalogue.vague(rng, is_on_shelf=True)
        assert 2 <= len(shelf.products) <= 3
        assert not any(each.is_digital for each in shelf.products)
        assert len({each.family_id for each in catalogue.loose(rng).products}) == 1
        assert len(catalogue.confirmed(rng).products) == 1
        assert " and has " in catalogue.contradicted(rng).text


@pytest.mark.parametrize("world", WORLDS[:10])
def test_every_product_is_in_exactly_one_line(world: World) -> None:
    sold = [sku for skus in world.catalogue.lines.values() for sku in skus.values()]
    assert sorted(sold) == sorted(world.catalogue.products)

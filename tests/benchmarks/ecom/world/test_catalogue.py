"""A phrase fits the products that it is meant for, and no other."""

from __future__ import annotations

import re

import pytest

from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.product_lines import product_lines
from benchmarks.ecom.world.shop_records import Product
from tests.benchmarks.ecom.world.sample_worlds import WORLDS

FUNCTION_WORDS = {"the", "with", "of"}


def words(text: str) -> set[str]:
    return set(re.findall(r"[\w+-]+", text.lower().replace("_", " "))) - FUNCTION_WORDS


def shown(product: Product) -> set[str]:
    return words(product.name + " " + " ".join(f"{key} {value}" for key, value in product.properties.items()))


@pytest.mark.parametrize("world", WORLDS[:10])
def test_an_ambiguity_of_a_world_lists_every_product_that_its_phrase_fits(world: World) -> None:
    for each in world.catalogue.ambiguities:
        fitting = [sku for sku, product in world.catalogue.products.items() if words(each.phrase) <= shown(product)]
        assert tuple(sorted(fitting)) == each.skus


def test_a_phrase_fits_exactly_the_articles_it_is_meant_for() -> None:
    articles = {}
    for line in product_lines():
        for variant in line.variants:
            properties = {**line.shared, **variant.properties}
            shown = " ".join(f"{key} {value}" for key, value in properties.items() if value is not False)
            articles[line.code, variant.code] = words(f"{line.brand} {line.model} {variant.tail} {shown}")

    def fitting(phrase: str) -> list[tuple[str, str]]:
        wanted, _, unwanted = phrase.partition(" without ")
        return [each for each, known in articles.items() if words(wanted) <= known and not words(unwanted) & known]

    for line in product_lines():
        assert fitting(line.vague) == [(line.code, each) for each in line.vague_codes], line.vague
        assert len(line.vague_codes) > 1
        for variant in line.variants:
            assert fitting(variant.asked) == [(line.code, variant.code)], variant.asked

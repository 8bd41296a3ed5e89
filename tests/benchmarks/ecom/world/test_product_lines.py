"""The twins of a line nearly have its name, and no two products of a large catalogue share theirs."""

from __future__ import annotations

from benchmarks.ecom.world.generator import generate
from benchmarks.ecom.world.product_lines import product_lines, twin_lines
from benchmarks.ecom.world.product_phrases import words_of
from benchmarks.ecom.world.profiles import WorldSettings


def test_a_twin_has_a_name_and_words_of_its_own() -> None:
    for line, twin in zip(product_lines(), twin_lines(2), strict=True):
        assert (twin.variants, twin.kind) == (line.variants, line.kind)
        assert twin.brand != line.brand
        assert twin.model != line.model
        assert twin.model[:2] == line.model[:2]
        things = words_of(twin.code).things
        assert things
        assert not set(things) & set(words_of(line.code).things)


def test_a_large_catalogue_has_a_thousand_products() -> None:
    products = generate("large", WorldSettings(profile="dev")).catalogue.products
    assert 990 <= len(products) <= 1_002
    assert len({each.name for each in products.values()}) == len(products)

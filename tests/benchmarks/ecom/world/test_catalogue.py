"""Customers' descriptions hold for what they mean, by the records, and for nothing else."""

import re
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from benchmarks.ecom.world.catalogue import (
    Line,
    choose_catalogue,
    confirmations,
    contradictions,
    descriptions,
    product_lines,
    twin_lines,
)
from tests.benchmarks.ecom.world.descriptions import read_description

Read = Mapping[str, Any]
LINES = [pytest.param(line, id=line.code) for line in (*product_lines(), *twin_lines(1), *twin_lines(7))]


def codes_of(line: Line) -> frozenset[str]:
    return frozenset(variant.code for variant in line.variants)


def sold(line: Line) -> list[Read]:
    """Return a line's products as a reader of their records sees them."""
    return [
        {
            "sku": variant.code,
            "name": f"{line.brand} {line.model} {variant.tail}",
            "brand": line.brand,
            "kind": line.kind,
            "family": line.code,
            "properties": {**line.shared, **variant.properties},
        }
        for variant in line.variants
    ]


def read(text: str, line: Line) -> frozenset[str]:
    """Return the variants that a text means, all of which is understood."""
    found = read_description(text, sold(line))
    assert found, text
    assert (found.start, found.end) == (0, len(text)), text
    return frozenset(product["sku"] for product in found.products)


@pytest.mark.parametrize("line", LINES)
def test_a_description_holds_for_its_target_and_for_none_of_the_others(line: Line) -> None:
    for target, phrases in descriptions(line.code, codes_of(line)).items():
        for phrase in phrases:
            assert read(phrase.text, line) == target, phrase.text


@pytest.mark.parametrize("line", LINES)
def test_an_added_claim_holds_for_a_confirmed_product_and_for_no_contradicted_one(line: Line) -> None:
    for code in codes_of(line):
        target, foreign_or_absent = frozenset({code}), contradictions(line.code, codes_of(line), frozenset({code}))
        for text in confirmations(line.code, codes_of(line), target):
            assert read(text, line) == target, text
        assert any(foreign_or_absent), code
        for text in (*foreign_or_absent[0], *foreign_or_absent[1]):
            said, _, had = text.partition(" and has ")
            assert (read(said, line), read(text, line)) == (target, frozenset()), text
            assert not re.search(rf"\b{re.escape(had.split()[-1])}\b", said), f"contradicts itself: {text}"


@pytest.mark.parametrize("line", [*twin_lines(2), *twin_lines(9)], ids=lambda line: line.code)
def test_a_twin_keeps_no_word_of_the_line_it_is_like(line: Line) -> None:
    base = next(each for each in product_lines() if each.code == line.code.partition("~")[0])
    assert line.variants == base.variants
    assert line.model[:2] == base.model[:2]
    names = {*base.brand.split(), *base.model.split()} - {"&"}
    for target, phrases in descriptions(line.code, codes_of(line)).items():
        for phrase in phrases:
            assert not names & {*re.findall(r"\w+", phrase.text.title())}, (phrase.text, target)
            assert "&" not in phrase.text


def test_no_description_means_two_things_or_is_the_whole_name_of_one_of_several() -> None:
    meant: dict[str, object] = {}
    names = [{*name.lower().split()} for line in product_lines() for name in (each["name"] for each in sold(line))]
    for line in product_lines():
        for target, phrases in descriptions(line.code, codes_of(line)).items():
            for phrase in phrases:
                assert meant.setdefault(phrase.text, (line.code, target)) == (line.code, target), phrase.text
                if len(target) > 1:
                    assert not [name for name in names if name <= {*phrase.text.lower().split()}], phrase.text


@pytest.mark.parametrize("count", [100, 400, 1_000])
def test_a_world_sells_each_product_once_and_describes_as_many_as_it_should(count: int) -> None:
    rng, catalogue = Random(1), choose_catalogue(Random(count), count)
    assert abs(len(catalogue.products) - count) <= 10
    assert len({product.name for product in catalogue.products.values()}) == len(catalogue.products)
    assert sorted(sku for skus in catalogue.lines.values() for sku in skus.values()) == sorted(catalogue.products)
    for _ in range(40):
        assert len(catalogue.vague(rng, most=2).products) == 2
        shelf = catalogue.vague(rng, is_on_shelf=True)
        assert 2 <= len(shelf.products) <= 3
        assert not any(product.is_digital for product in shelf.products)
        assert len({product.family_id for product in catalogue.loose(rng).products}) == 1
        assert len(catalogue.confirmed(rng).products) == 1
        assert " and has " in catalogue.contradicted(rng).text

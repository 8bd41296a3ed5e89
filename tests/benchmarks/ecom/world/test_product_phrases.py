"""Customers' descriptions: every product has many, and each fits what it is meant for."""

from __future__ import annotations

import re

import pytest
from benchmarks.ecom.world.product_lines import Line, product_lines
from benchmarks.ecom.world.product_phrases import confirmations, contradictions, line_words, phrases, targets

LINES = [pytest.param(line, id=line.code) for line in product_lines()]


def codes_of(line: Line) -> frozenset[str]:
    return frozenset(variant.code for variant in line.variants)


def words(text: str) -> list[str]:
    return re.findall(r"[\w+-]+", text.lower())


@pytest.mark.parametrize("line", LINES)
def test_every_product_has_at_least_six_descriptions_that_fit_it_alone(line: Line) -> None:
    for variant in line.variants:
        assert len(phrases(line.code, codes_of(line), frozenset({variant.code}))) >= 6, variant.code


@pytest.mark.parametrize("line", LINES)
def test_a_line_leaves_two_products_open_in_several_ways(line: Line) -> None:
    open_ones = [each for each in targets(line.code, codes_of(line)) if len(each) == 2]
    assert len(open_ones) >= 2
    assert all(phrases(line.code, codes_of(line), each) for each in targets(line.code, codes_of(line)))


def test_no_description_means_two_things() -> None:
    meant: dict[str, object] = {}
    for line in product_lines():
        for target in targets(line.code, codes_of(line)):
            for text in phrases(line.code, codes_of(line), target):
                assert meant.setdefault(text, (line.code, target)) == (line.code, target), text
        for variant in line.variants:
            target = frozenset({variant.code})
            for text in confirmations(line.code, codes_of(line), target):
                assert meant.setdefault(text, (line.code, target)) == (line.code, target), text
            for text in contradictions(line.code, codes_of(line), target):
                assert meant.setdefault(text, ()) == (), text


def test_no_description_of_several_products_is_the_whole_name_of_one() -> None:
    names = [words(f"{line.brand} {line.model} {each.tail}") for line in product_lines() for each in line.variants]
    for line in product_lines():
        for target in targets(line.code, codes_of(line)):
            for text in phrases(line.code, codes_of(line), target) if len(target) > 1 else ():
                assert not [name for name in names if set(name) <= set(words(text))], text


def test_descriptions_are_no_lists_of_properties() -> None:
    for line in product_lines():
        keys = {key for variant in line.variants for key in (*line.shared, *variant.properties) if "_" in key}
        for text in phrases(line.code, codes_of(line), frozenset({line.variants[0].code})):
            assert "`" not in text
            assert not [key for key in keys if key in text], text


def test_every_line_has_words_and_every_word_belongs_to_a_variant() -> None:
    lines = {line.code: line for line in product_lines()}
    assert set(line_words()) == set(lines)
    for code, found in line_words().items():
        for details in found.dimensions.values():
            assert all(detail.codes <= codes_of(lines[code]) for detail in details), code
            assert all(word.count("_") == 1 for detail in details for word in detail.words), code


def test_what_is_ruled_out_narrows_a_description_down() -> None:
    codes = codes_of(next(line for line in product_lines() if line.code == "TNT"))
    found = phrases("TNT", codes, frozenset({"2P"}))
    assert any("not the set with the floor sheet" in text for text in found)
    assert not any("not the bare one" in text for text in found)

"""Customers' descriptions hold for what they mean, by the records, and for nothing else."""

import pytest

from benchmarks.ecom.ecom_benchmark import FAMILIES
from benchmarks.ecom.world.catalogue import (
    Line,
    descriptions,
    product_lines,
)
from benchmarks.ecom.world.company import VOCABULARIES
from benchmarks.ecom.world.generator import WorldSettings, generate, page, wordings


def codes_of(line: Line) -> frozenset[str]:
    return frozenset(variant.code for variant in line.variants)


def test_no_description_means_two_things_or_is_the_whole_name_of_one_of_several() -> None:
    meant: dict[str, object] = {}
    names = [
        {*f"{line.brand} {line.model} {variant.tail}".lower().split()}
        for line in product_lines()
        for variant in line.variants
    ]
    for line in product_lines():
        for target, phrases in descriptions(line.code, codes_of(line)).items():
            for phrase in phrases:
                assert meant.setdefault(phrase.text, (line.code, target)) == (line.code, target), phrase.text
                if len(target) > 1:
                    assert not [name for name in names if name <= {*phrase.text.lower().split()}], phrase.text


WORLDS = [generate(f"documents|{number}", WorldSettings(names=VOCABULARIES[number % 3])) for number in range(6)]
KEYS = sorted(WORLDS[0].names.documents)


@pytest.mark.parametrize("key", KEYS)
def test_a_document_has_five_titles_and_wordings_of_each_clause_and_two_held_out(key: str) -> None:
    found = page(key)
    inserted = ("updates", "mentioned", "outside")
    said = {clause.name: clause.wordings for clause in found.clauses if clause.name not in inserted} | {
        "titles": found.titles
    }
    assert not [name for name, each in said.items() if len(each.known) < 5 or len(each.unseen) < 2]
    for each in said.values():
        assert not {text for text in {*each.known} & {*each.unseen} if len(text) > 20}


def test_a_family_has_twelve_held_out_wordings_and_none_of_them_is_known() -> None:
    found = wordings()
    for family in FAMILIES:
        prefixes = {"foreign-basket": "checkout", "basket-checkout": "checkout", "guest-basket-status": "basket-status"}
        prefix = prefixes.get(family, family)
        prefix = {"record-field": "field", "origin-fact": "origin", "discount-authority": "discount"}.get(
            prefix, prefix
        )
        prefix = {"discount-grant": "discount-named", "injected-block": "checkout"}.get(prefix, prefix)
        prefix = {"verification-restart": "verification"}.get(prefix, prefix)
        prefix = {"entangled-fraud": "archive-fraud", "basket-queue": "several", "ranked-discounts": "several"}.get(
            prefix, prefix
        )
        unseen = {text for name, each in found.items() if name.startswith(prefix) for text in each.unseen}
        assert len(unseen) >= 12, family
    for name, each in found.items():
        assert not {*each.known} & {*each.unseen}, name

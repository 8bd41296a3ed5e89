"""A description of a product in a request means one set of variants of a product line.

The line of the tent Skerry has variants: for two persons (with the code 2P), for two with a
footprint (2P-FOOT), for four (4P). A request describes a product in words that fit some of
them: "Skerry tent, not the family size" fits 2P and 2P-FOOT.
"""

from typing import NamedTuple

from controlplane.benchmarks.ecom.world.products import descriptions, product_lines


class Description(NamedTuple):
    """A description, and the variants of a product line that it fits."""

    text: str
    line_code: str
    variants: frozenset[str]
    """The codes of the variants: `{"2P", "2P-FOOT"}`."""


def all_descriptions() -> list[Description]:
    """Return all descriptions of products that requests may have."""
    found = []
    for line in product_lines():
        for variants, phrases in descriptions(line.code).items():
            for phrase in phrases:
                found.append(Description(phrase.text, line.code, variants))
    return found


def test_a_description_is_for_one_set_of_variants_of_one_line() -> None:
    """A customer's description must have one meaning, or no answer to the request is right."""
    meanings: dict[str, Description] = {}
    for description in all_descriptions():
        known_meaning = meanings.setdefault(description.text, description)
        assert known_meaning == description


def test_a_description_of_several_variants_does_not_contain_a_full_name() -> None:
    """Otherwise the description would seem to be for the variant with that name.

    A full name is, for example, "Nordvane Skerry two-person tent": brand, model and tail.
    """
    full_names = []
    for line in product_lines():
        for variant in line.variants:
            full_names.append(f"{line.brand} {line.model} {variant.tail}")

    for description in all_descriptions():
        if len(description.variants) == 1:
            continue
        words = set(description.text.lower().split())
        for full_name in full_names:
            words_of_name = set(full_name.lower().split())
            assert not words_of_name <= words, description

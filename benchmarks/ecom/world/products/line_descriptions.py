"""Descriptions of the variants of a product line, as customers word them.

The line `TNT` is the tent Skerry. Its variants are for two persons (`2P`), for two with a
groundsheet (`2P-FOOT`), and for four (`4P`). "2-man Skerry tent" fits the first two,
"family size Skerry tent" only `4P`. A description is a name of the line with words for
the details that it mentions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from controlplane.benchmarks.ecom.world.products.chosen_details import (
    ChosenDetails,
    all_choices,
)
from controlplane.benchmarks.ecom.world.products.details import Phrase
from controlplane.benchmarks.ecom.world.products.line_words import (
    LineWords,
    line_names,
    words_of,
)
from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes
from controlplane.benchmarks.ecom.world.products.twin_lines import line_called

WAYS_TO_SAY: Final = 3
"""The number of phrases for the same details and line name. Each uses other words, if possible."""


@cache
def descriptions(
    line_code: str,
) -> Mapping[VariantCodes, tuple[Phrase, ...]]:
    """Return all descriptions of a line's variants, grouped by the variants that they fit.

    `{"4P"} -> (Phrase("family size Skerry tent"), ...)`, `{"2P", "2P-FOOT"} -> (...)`.
    """
    all_variants = line_called(line_code).variant_codes
    phrases: defaultdict[VariantCodes, list[Phrase]] = defaultdict(list)
    for chosen in all_choices(words_of(line_code), all_variants):
        fitting = chosen.fitting(all_variants)
        # A detail is needless if it excludes no variant. Nobody would mention it.
        if fitting and not chosen.has_needless_detail(all_variants):
            phrases[fitting] += _phrases_for(line_code, chosen, fitting)

    # The order of sets differs between processes, and that of their sorted codes does not.
    unique_phrases: dict[VariantCodes, tuple[Phrase, ...]] = {}
    for fitting in sorted(phrases, key=sorted):
        unique_phrases[fitting] = tuple(dict.fromkeys(phrases[fitting]))
    return unique_phrases


def _phrases_for(
    line_code: str, chosen: ChosenDetails, fitting: VariantCodes
) -> Iterator[Phrase]:
    """Yield the phrases for some details: each name of the line, with words for the details.

    The detail that a tent sleeps two has the wordings `_ for two`, `2-man _` and `_ for a
    couple`, in which `_` stands for a name. Two names of the line give:

        | name        | first phrase        | second phrase          | third phrase             |
        | ----------- | ------------------- | ---------------------- | ------------------------ |
        | Skerry tent | Skerry tent for two | 2-man Skerry tent      | Skerry tent for a couple |
        | dome tent   | 2-man dome tent     | dome tent for a couple | dome tent for two        |

    If several variants fit, the first phrase of a name is also yielded in a form that says
    what is missing to tell them apart (`_with_open_subject`). A phrase that excludes a
    variant, such as `Skerry tent, not the family size`, never has this form.
    """
    words = words_of(line_code)
    properties_of_details = _mentioned_properties(words, chosen)
    open_subjects: list[str] = []
    if chosen.excluded is None:
        open_subjects = _open_subjects(words, chosen, fitting)
    for name_number, line_name in enumerate(line_names(line_code)):
        properties = line_name.about | properties_of_details
        for phrase_number in range(WAYS_TO_SAY):
            # The first name begins with the first wording, the second name with the second.
            wording_number = name_number + phrase_number
            text = _text_for(chosen, line_name.text, wording_number)
            yield Phrase(text, properties)
            if phrase_number == 0:
                for subject in open_subjects:
                    yield Phrase(_with_open_subject(text, subject), properties)


def _with_open_subject(text: str, subject: str) -> str:
    """Add that a detail is missing: `Skerry tent for two. The detail about ... was not supplied`."""
    return f"{text}. The detail about {subject} was not supplied"


def _text_for(chosen: ChosenDetails, line_name: str, wording_number: int) -> str:
    """Add the details to a name: `tent` -> `2-man tent, not the set with the floor sheet`.

    Each wanted detail has several wordings, counted from 0. The first detail gets the one
    with `wording_number`, and each further detail the next. After the last wording, the
    count goes on with the first.
    """
    text = line_name
    for detail_number, detail in enumerate(chosen.wanted):
        number = (wording_number + detail_number) % len(detail.words)
        wording = detail.words[number]
        # In a wording, `_` stands for the name: `2-man _` and `tent` -> `2-man tent`.
        text = wording.replace("_", text)
    if chosen.excluded is not None:
        text = f"{text}, {chosen.excluded.without}"
    return text


def _mentioned_properties(words: LineWords, chosen: ChosenDetails) -> set[str]:
    """Return the properties that the chosen details mention, wanted or excluded.

    "For two" mentions `persons`. A detail about size may mention two: `width length`.
    """
    chosen_details = (*chosen.wanted, chosen.excluded)
    properties: set[str] = set()
    for dimension in words.dimensions.values():
        if any(detail in chosen_details for detail in dimension.details):
            properties.update(dimension.about.split())
    return properties


def _open_subjects(
    words: LineWords, chosen: ChosenDetails, fitting: VariantCodes
) -> list[str]:
    """Return the subjects without a wanted detail that would tell the fitting variants apart.

    `Skerry tent` fits tents for two and for four, so `how many it sleeps` is open.
    """
    subjects = []
    for subject, dimension in words.dimensions.items():
        has_wanted_detail = any(detail in dimension.details for detail in chosen.wanted)
        if not has_wanted_detail and dimension.tells_apart(fitting):
            subjects.append(subject)
    return subjects

"""Descriptions of the variants of a product line, as customers word them.

The line `TNT` is the tent Skerry. Its variants are for two persons (`2P`), for two with a
groundsheet (`2P-FOOT`), and for four (`4P`). "2-man Skerry tent" fits the first two,
"family size Skerry tent" only `4P`. A description is a name of the line with words for
the details that it mentions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from controlplane.benchmarks.ecom.world.products.chosen_details import (
    ChosenDetails,
    possible_choices,
)
from controlplane.benchmarks.ecom.world.products.details import Detail, Phrase
from controlplane.benchmarks.ecom.world.products.line_words import (
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
    details = words_of(line_code).details_by_subject
    all_variants = line_called(line_code).variant_codes
    phrases: defaultdict[VariantCodes, list[Phrase]] = defaultdict(list)
    for chosen in possible_choices(details, all_variants):
        phrases[chosen.variants] += _phrases_for(line_code, chosen)

    # The order of sets differs between processes, and that of their sorted codes does not.
    unique_phrases: dict[VariantCodes, tuple[Phrase, ...]] = {}
    for variants in sorted(phrases, key=sorted):
        unique_phrases[variants] = tuple(dict.fromkeys(phrases[variants]))
    return unique_phrases


def _phrases_for(line_code: str, chosen: ChosenDetails) -> Iterator[Phrase]:
    """Yield the phrases for some details: each name of the line, with words for the details.

    The detail that a tent sleeps two has the wordings `_ for two`, `2-man _` and `_ for a
    couple`, in which `_` stands for a name. Each name begins with another wording:

        | name        | first phrase        | second phrase          | third phrase             |
        | ----------- | ------------------- | ---------------------- | ------------------------ |
        | Skerry tent | Skerry tent for two | 2-man Skerry tent      | Skerry tent for a couple |
        | dome tent   | 2-man dome tent     | dome tent for a couple | dome tent for two        |

    Some first phrases are also yielded with a sentence after them (`_open_subjects`).
    """
    properties_of_details = chosen.properties()
    open_subjects = _open_subjects(line_code, chosen)
    for name_number, line_name in enumerate(line_names(line_code)):
        properties = line_name.properties | properties_of_details
        for phrase_number in range(WAYS_TO_SAY):
            text = _text_for(chosen, line_name.text, name_number + phrase_number)
            yield Phrase(text, properties)
            if phrase_number == 0:
                for subject in open_subjects:
                    sentence = f"The detail about {subject} was not supplied"
                    yield Phrase(f"{text}. {sentence}", properties)


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


def _open_subjects(line_code: str, chosen: ChosenDetails) -> list[str]:
    """Return the subjects of which a detail is missing to tell the fitting variants apart.

    "Skerry tent" fits tents for two and for four, so `how many it sleeps` is open: "Skerry tent.
    The detail about how many it sleeps was not supplied". If the customer excludes a
    detail, no subject counts as open.
    """
    if chosen.excluded is not None:
        return []
    subjects = []
    for subject, details in words_of(line_code).details_by_subject.items():
        is_named = any(detail in chosen.wanted for detail in details)
        if not is_named and _tells_apart(details, chosen.variants):
            subjects.append(subject)
    return subjects


def _tells_apart(details: Sequence[Detail], variants: VariantCodes) -> bool:
    """Return True if at least two of the details each fit some of these variants.

    "For two" and "for four" tell `2P` and `4P` apart: each fits one. They do not tell
    `2P` and `2P-FOOT` apart: "for two" fits both, "for four" neither.
    """
    fitting_groups = set()
    for detail in details:
        fitting = detail.codes & variants
        if fitting:
            fitting_groups.add(fitting)
    return len(fitting_groups) > 1

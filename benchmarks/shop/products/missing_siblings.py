"""Finds products that a list probably lacks, because it has most others of the same group.

A group is all products with the same text in some field, such as `"family": "Lea"`. A list
with two of the three Lea tarps has probably forgotten the third.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import re2

from controlplane.benchmarks.shop.products.catalogue import Catalogue
from controlplane.benchmarks.shop.workspace.field_shapes import Data
from controlplane.gates.paths import record_id

_TEXT_FIELD: Final = re.compile(r'"([^"\\]+)":[ \t]*"([^"\\]*)"')
"""A field with a text, in a line of JSON: `"family": "Lea"`."""


class FieldText(NamedTuple):
    """A field of products and a text in it: `family` and `Lea`."""

    field: str
    text: str


def missing_siblings(catalogue: Catalogue, codes: Sequence[str]) -> list[str]:
    """Return the codes that a list of products probably lacks.

    They are the rest of the smallest group that contains the whole list, if the list has
    more than half of that group.
    """
    records = catalogue.data_of(codes)
    if len(records) < 2:
        return []
    shared_texts = _shared_texts(records)
    if not shared_texts:
        return []
    groups = _groups_with(catalogue, shared_texts)
    smallest_group = min(groups, key=len)
    has_more_than_half = 2 * len(records) > len(smallest_group)
    if not has_more_than_half:
        return []
    return sorted(smallest_group.difference(codes))


def _shared_texts(records: Sequence[Data]) -> set[FieldText]:
    """Return the texts that all records have in the same field."""
    texts_of_records = []
    for data in records:
        texts = set()
        for key, value in data.items():
            if isinstance(value, str):
                texts.add(FieldText(key, value))
        texts_of_records.append(texts)
    return set.intersection(*texts_of_records)


def _groups_with(catalogue: Catalogue, texts: Iterable[FieldText]) -> list[set[str]]:
    """Return the group for each text: the codes of the products that have it in its field.

    family `Lea` -> {"AB-1", "AB-2"}
    """
    # One search finds the lines of all texts.
    patterns = []
    for field, text in sorted(texts):
        patterns.append(f'"{re2.escape(field)}":[ \t]*"{re2.escape(text)}"')
    lines = catalogue.lines_with("|".join(patterns))

    # The fields in each line tell which text was found.
    codes: dict[FieldText, set[str]] = {text: set() for text in texts}
    for path, line in lines:
        for field, text in _TEXT_FIELD.findall(line):
            field_text = FieldText(field, text)
            if field_text in codes:
                codes[field_text].add(record_id(path))
    return list(codes.values())

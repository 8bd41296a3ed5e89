"""Parses texts that are YAML in a form that running text does not have.

The list `- {name: Ann, fee: 7}` is data. A single line `fee: 7` is valid YAML, too, but it may be
the head of a mail, whose author may give a model false orders. So it is not parsed.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.texts.data.loaded_data import loaded_yaml

MAX_CELL_WORDS: Final = 4
"""The longest cell of a table, key of a line or item of a list, in words. Two sentences with
one comma each look like a table, but their parts have more words than this."""
_ENDS_OF_NESTED_ENTRIES: Final = (":\n", ": {}\n", ": []\n")
"""How the line ends that begins a nested entry, `fees:`, or that has an empty one, `fees: {}`."""


def parsed_yaml(text: str) -> object:
    """Return the value of a YAML text in one of three forms that running text does not have.

    - a list of mappings or of short values,
    - a mapping that has a list or a mapping in it,
    - a mapping in braces, as Python prints it: `{'Luxury Palace': '1 Rue de la Paix'}`.

    Return None for all others, such as simple lines of `key: value`.
    """
    is_in_braces = text.lstrip().startswith("{") and text.rstrip().endswith("}")
    if not is_in_braces and not _may_have_entries(text):
        return None
    data = loaded_yaml(text)
    if isinstance(data, list):
        return data if all(_is_entry(item) for item in data) else None
    if isinstance(data, dict):
        has_nested_entry = any(isinstance(item, list | dict) for item in data.values())
        return data if is_in_braces or has_nested_entry else None
    return None


def _may_have_entries(text: str) -> bool:
    """Return True if a text may be a YAML list, or a mapping with nested entries.

    This is a quick look at the text, because to load it is slow.
    """
    is_list = text.lstrip().startswith("- ")
    return is_list or any(end in f"{text}\n" for end in _ENDS_OF_NESTED_ENTRIES)


def _is_entry(item: object) -> bool:
    """Return True if an item of a list is data: a mapping, or a value as short as a cell."""
    if isinstance(item, str):
        return len(item.split()) <= MAX_CELL_WORDS
    return isinstance(item, dict)

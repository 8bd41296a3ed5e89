"""One record of a shop: a JSON file about a basket, a payment, a person or another thing.

/proc/carts/basket_0001.json: {"id": "basket_0001", "customer_id": "cust-7", "status": "open"}

A record answers what all code asks of it: its owner, its state, its time, its name. Shops choose
the names of these fields, so it knows what they are called here (`RecordKeys`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.benchmarks.shop.workspace.field_shapes import Data
from controlplane.gates.paths import record_id
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

OWNER_WORDS: Final = frozenset({"customer", "owner", "buyer", "client", "account"})
"""First words of fields that name a record's owner, such as `customer_id`.

They are used if `RecordKeys` has no field for the owner.
"""


@dataclass(frozen=True, slots=True)
class RecordKeys:
    """What a shop calls the fields of its records, most likely name first.

    The defaults are the usual names.
    """

    owner: tuple[str, ...] = ()
    """The fields for the owner.

    If this is empty, a field whose name begins with one of `OWNER_WORDS` counts.
    """
    state: tuple[str, ...] = ("status", "state", "stage")
    time: tuple[str, ...] = (
        "created_at",
        "created",
        "opened_at",
        "placed_at",
        "at",
        "date",
    )
    name: tuple[str, ...] = ("display_name", "name")
    roles: tuple[str, ...] = ("roles",)


USUAL_KEYS: Final = RecordKeys()


@dataclass(frozen=True, slots=True)
class Record:
    """A record: its path, its data, and the names of its fields."""

    path: str
    data: Data
    keys: RecordKeys = field(default=USUAL_KEYS, repr=False)  # the same for all records

    @property
    def id(self) -> str:
        """The record's field `id` if it is a text, else the name of its file.

        An `id` that is a number is only that of a row, and does not identify the record.
        """
        own_id = self.data.get("id")
        if isinstance(own_id, str) and own_id:
            return own_id
        return record_id(self.path)

    @property
    def owner(self) -> str:
        """The id of the record's owner; empty if the record has none."""
        if self.keys.owner:
            return self._text_of_first(self.keys.owner)
        # The shop's name for this field is not known, so the field is guessed by its name.
        for key, value in self.data.items():
            if isinstance(value, str) and _names_owner(key):
                return value
        return ""

    @property
    def state(self) -> str:
        """The record's state; empty if it has none."""
        return self._text_of_first(self.keys.state)

    @property
    def time(self) -> str:
        """The time when the record was created, as written; empty if it is not given."""
        return self._text_of_first(self.keys.time)

    @property
    def name(self) -> str:
        """The record's name; empty if it has none."""
        for key in self.keys.name:
            if self.data.get(key):
                return str(self.data[key])
        return ""

    @property
    def roles(self) -> frozenset[str]:
        """The roles of a person; empty for other records."""
        for key in self.keys.roles:
            if key in self.data:
                return _texts_in(self.data[key])
        return frozenset()

    def links(self) -> Iterator[str]:
        """Yield the texts of the top-level fields except `id`.

        Some of them are ids of other records.
        """
        for key, value in self.data.items():
            if isinstance(value, str) and key != "id":
                yield value

    def _text_of_first(self, keys: tuple[str, ...]) -> str:
        """Return the value of the first of these fields that the record has, else an empty text."""
        for key in keys:
            if key in self.data:
                return str(self.data[key])
        return ""


def _texts_in(value: object) -> frozenset[str]:
    """Return the items of a list as texts; none if the value is not a list."""
    if isinstance(value, list | tuple):
        return frozenset(str(item) for item in value)
    return frozenset()


def _names_owner(key: str) -> bool:
    """Return True if a field's name stands for an owner: `customer`, `buyer_id`, `account ref`."""
    first_word, _, other_words = normal_words(key).partition(" ")
    return first_word in OWNER_WORDS and other_words in ("", "id", "ref")


@lru_cache(maxsize=256)
def parsed_record(text: str) -> Data | None:
    """Return the data of a record; None for a text that is not a JSON object."""
    try:
        data = read_json(text)
    except Unreadable:
        return None
    return data if isinstance(data, dict) else None

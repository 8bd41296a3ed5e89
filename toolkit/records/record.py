"""One record, and the names of the fields that say whose it is, in what state, and since when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from toolkit.text import normal_words

Data: TypeAlias = Mapping[str, Any]
OWNER_WORDS: Final = frozenset({"customer", "owner", "buyer", "client", "account"})
"""First words of the fields that name whose a record is, where a workspace's own name of them is not known."""


@dataclass(frozen=True, slots=True)
class RecordKeys:
    """The fields' names, the likelier first."""

    owner: tuple[str, ...] = ()
    """Empty: told by the first word of a field's name."""
    state: tuple[str, ...] = ("status", "state", "stage")
    time: tuple[str, ...] = ("created_at", "created", "opened_at", "placed_at", "at", "date")
    name: tuple[str, ...] = ("display_name", "name")
    roles: tuple[str, ...] = ("roles",)


USUAL_KEYS: Final = RecordKeys()


@dataclass(frozen=True, slots=True)
class Record:
    """One record: where it is, and what it holds."""

    path: str
    data: Data
    keys: RecordKeys = field(default=USUAL_KEYS, repr=False)

    @property
    def id(self) -> str:
        """Its id: the field, else the file's name, which a running number beside it is no match for."""
        found = self.data.get("id")
        return found if isinstance(found, str) and found else stem_of(self.path)

    @property
    def owner(self) -> str:
        """The id of whoever it belongs to; empty for a record that is nobody's."""
        if self.keys.owner:
            return self._first(self.keys.owner)
        for key, value in self.data.items():
            words = normal_words(key).split()
            if isinstance(value, str) and words and words[0] in OWNER_WORDS and words[1:] in ([], ["id"], ["ref"]):
                return value
        return ""

    @property
    def state(self) -> str:
        """What state it is in; empty if it has none."""
        return self._first(self.keys.state)

    @property
    def time(self) -> str:
        """When it was made, as it says it; empty if it does not."""
        return self._first(self.keys.time)

    @property
    def roles(self) -> frozenset[str]:
        """The roles of a person; empty for anything else."""
        found = next((self.data[key] for key in self.keys.roles if key in self.data), ())
        return frozenset(str(each) for each in found) if isinstance(found, list | tuple) else frozenset()

    @property
    def name(self) -> str:
        """What it is called; empty if it has no name."""
        return next((str(self.data[key]) for key in self.keys.name if self.data.get(key)), "")

    def links(self) -> Iterator[str]:
        """Yield every text that one of its fields holds, at its first level: ids of other records among them."""
        return (value for key, value in self.data.items() if isinstance(value, str) and key != "id")

    def _first(self, keys: tuple[str, ...]) -> str:
        return next((str(self.data[key]) for key in keys if key in self.data), "")


def id_of(name: str) -> str:
    """Return the id that a name is or, of a path, ends with."""
    return stem_of(name) if name.startswith("/") else name


def stem_of(path: str) -> str:
    """Return a file's name without folder and extension."""
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0]

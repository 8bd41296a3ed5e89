"""Events as the journal holds them, encoded where they happen: the process that writes them only chains their lines."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from controlplane.journal.chained_lines import REFERENCE, encoded, json_of, key_of
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.step_lines import fields_to_write

REMEMBERED_TEXTS: Final = 20_000


class KnownTexts:
    """The keys of texts that the journal holds, the latest ones only: one that was forgotten is stored once more."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}
        self._lock = threading.Lock()

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def remember(self, keys: Iterable[str]) -> None:
        """Note that these are stored."""
        with self._lock:
            self._keys.update(dict.fromkeys(keys))
            while len(self._keys) > REMEMBERED_TEXTS:
                del self._keys[next(iter(self._keys))]


class EncodedEvent(NamedTuple):
    """An event ready to be written. Of what goes from one process to another, a tuple is the quickest."""

    body: bytes
    """Its fields as a JSON object, long texts replaced by references."""
    texts: Mapping[str, str]
    """The texts that it refers to and that may not be stored yet, by their keys."""
    noted: JournalEvent | None = None
    """What the run's summary takes from it, where that is in another process."""


def encode_event(event: JournalEvent, known: KnownTexts, noted: JournalEvent | None = None) -> EncodedEvent:
    """Return `event` with those of its long texts that are not `known`."""
    texts: dict[str, str] = {}

    def intern(text: str) -> str:
        key = key_of(text)
        if key not in known:
            texts[key] = text
        return REFERENCE + key

    return EncodedEvent(json_of(encoded(fields_to_write(event), intern)), texts, noted)

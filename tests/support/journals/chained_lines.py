"""Lines of a journal with new hashes, as somebody who forges a journal would write them.

Each line has the hash of the line before it (`prev`) and its own (`hash`), so that a changed line is
noticed. Where a machine has a key, each line also has a `mark`: a signature with this key.
"""

from collections.abc import Iterable
from typing import Any

from controlplane.journal.journal_lines import GENESIS, json_of, line_of

CHAIN_FIELDS = ("prev", "hash", "mark")
"""The fields of a line that bind it to the lines before it, and to the key of the machine."""


def without_chain(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a line's fields without those that `CHAIN_FIELDS` names."""
    return {name: value for name, value in fields.items() if name not in CHAIN_FIELDS}


def chained_lines(
    events: Iterable[dict[str, Any]], previous: str = GENESIS, key: bytes | None = None
) -> bytes:
    """Return the lines of these events with new hashes, as somebody who forges a journal would.

    `previous` is the hash of the line before the first one. With a `key`, each line also has a
    mark: a signature with the key of the machine that wrote it.
    """
    data = b""
    for event in events:
        line, previous = line_of(json_of(without_chain(event)), previous, key)
        data += line
    return data

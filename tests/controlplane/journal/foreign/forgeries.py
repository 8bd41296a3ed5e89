"""Copies of a user's journal, as a stranger could write them.

Each line of a journal has the hash of the line before it, and a mark: a signature with the key of
the user whose runs wrote it. Anybody can compute the hashes, but only the user can sign. So each
function here takes the bytes of a journal of this user, and returns some that have valid hashes,
and lines without this user's mark.
"""

import json
from collections.abc import Callable
from typing import Any

from tests.support.journals import chained_lines


def events_of(data: bytes) -> list[dict[str, Any]]:
    """Return the events of a journal, as in `[{"type": "run_opened", ...}, ...]`."""
    return [json.loads(line) for line in data.splitlines()]


def with_lines_behind(data: bytes, events: list[dict[str, Any]]) -> bytes:
    """Return a journal with further events, chained to its last line, and without marks."""
    last_hash = events_of(data)[-1]["hash"]
    return data + chained_lines(events, last_hash)


def unmarked(data: bytes) -> bytes:
    """Somebody wrote all its lines again, without marks."""
    return chained_lines(events_of(data))


def marked_by_another(data: bytes) -> bytes:
    """Somebody wrote all its lines again, with a key of their own."""
    return chained_lines(events_of(data), key=b"k" * 32)


def with_another_score(data: bytes) -> bytes:
    """Somebody changed a score, and wrote all lines from there on again."""
    lines = data.splitlines(keepends=True)
    events = events_of(data)
    types = [event["type"] for event in events]
    first_score = types.index("score")
    unmarked_events = events[first_score:]
    for event in unmarked_events:
        if event["type"] == "score":
            event["score"] = 0.5
    return with_lines_behind(b"".join(lines[:first_score]), unmarked_events)


def resumed_by_another(data: bytes) -> bytes:
    """Somebody added a line by which the run goes on with another model."""
    (opened,) = [event for event in events_of(data) if event["type"] == "run_opened"]
    resumed = {"at_ms": 1, "type": "run_resumed", "model": "evil"}
    resumed["versions"] = opened["versions"]
    return with_lines_behind(data, [resumed])


def with_a_notice_at_the_end(data: bytes) -> bytes:
    """Somebody added a harmless line."""
    notice = {"at_ms": 1, "type": "run_notice", "text": "behind the end"}
    return with_lines_behind(data, [notice])


Forge = Callable[[bytes], bytes]

ALL_FORGERIES: list[Forge] = [
    unmarked,
    marked_by_another,
    with_another_score,
    resumed_by_another,
    with_a_notice_at_the_end,
]
"""All ways to forge a journal that these tests try."""

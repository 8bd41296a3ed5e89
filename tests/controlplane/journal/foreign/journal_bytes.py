"""Bytes of journals that the product would not write.

A journal is a file of JSON lines, one for each event of a run. `journal_of(event)` returns the
lines of a run of one trial, `t`, with this event behind its start, and with valid hashes.
"""

from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from tests.support.journals import RUN_OPENED

MB = 1_000_000

Event = dict[str, object] | bytes
"""The fields of an event; or its JSON, if it is JSON that the product would not write."""

RUN_STARTED = {
    "at_ms": 1,
    "type": "run_started",
    "run_id": "x",
    "trials": [{"trial_id": "t", "task_id": "k"}],
}
"""The event with which a run of the trial `t` starts."""


def journal_of(*events: Event) -> bytes:
    """Return a journal of a run of one trial, t, with these events behind its start."""
    lines: list[bytes] = []
    previous_hash = GENESIS
    for event in (RUN_OPENED.model_dump(), RUN_STARTED, *events):
        text = event if isinstance(event, bytes) else json_of(event)
        line, previous_hash = line_of(text, previous_hash)
        lines.append(line)
    return b"".join(lines)


def call_with_result(result: bytes) -> bytes:
    """Return the JSON of a call with this result: `call_with_result(b"[1,2]")`."""
    return (
        b'{"at_ms":1,"type":"call","trial_id":"t","step":1,"number":0,"operation":"o",'
        b'"arguments":{},"result":{"a":%b}}' % result
    )

"""What the calls of a question's trial show: what was searched, read, written and left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.agent.events import CallRecord

# The names of the operations in the calls of a question's trial.
READ: Final = "read"
WRITE: Final = "write"
DELETE: Final = "delete"
TABLE: Final = "table"
SOURCES: Final = "sources"
"""Describes the files of the question: which are versions of one file, and which are left out."""
WORDS_ARGUMENT: Final = {"search": "pattern", "passages": "words", "find": "name"}
"""The operations that search, each with the argument that holds the searched text."""


def searched_words(calls: Sequence[CallRecord]) -> tuple[str, ...]:
    """Return what scripts searched for, without duplicates."""
    searched: dict[str, None] = {}
    for call in calls:
        argument = WORDS_ARGUMENT.get(call.operation)
        if argument is not None and call.result and _is_made_by_script(call):
            searched[str(call.arguments[argument])] = None
    return tuple(searched)


def _is_made_by_script(call: CallRecord) -> bool:
    """Return True for a call by a script, False for one made for the trial's first message.

    For the latter, `shown_chars` counts the characters of the result that the message shows.
    """
    return call.shown_chars is None


def written_texts(calls: Sequence[CallRecord]) -> dict[str, str | None]:
    """Return the last text of each written file, and None for each deleted file."""
    texts: dict[str, str | None] = {}
    for call in calls:
        if call.result is None:
            continue
        if call.operation == WRITE:
            texts[_path_of(call)] = str(call.arguments["content"])
        elif call.operation == DELETE:
            texts[_path_of(call)] = None
    return texts


def read_hashes(calls: Sequence[CallRecord]) -> dict[str, str]:
    """Return the hash of each file that was read before its first change."""
    hashes = {}
    changed = set()
    for call in calls:
        if call.result is None:
            continue
        path = _path_of(call)
        if call.operation == READ and "sha256" in call.result and path not in changed:
            hashes[path] = str(call.result["sha256"])
        if call.operation in (WRITE, DELETE):
            changed.add(path)
    return hashes


def _path_of(call: CallRecord) -> str:
    """Return the path that a call is about: from its result if that has one, else its argument."""
    result = call.result or {}
    return str(result.get("path") or call.arguments.get("path"))


def called_servers(calls: Sequence[CallRecord]) -> tuple[str, ...]:
    """Return the servers whose operations were called: `db` for a call of `db.query`."""
    servers = set()
    for call in calls:
        server, point, _ = call.operation.partition(".")
        if point:
            servers.add(server)
    return tuple(sorted(servers))


def sources_overview(calls: Sequence[CallRecord]) -> Mapping[str, object]:
    """Return the result of the first call of `sources`; empty if it was not called.

    For example, `{"versions": [["/plan-v2.md", "/plan-v1.md"]], "left_out": ["3 images"]}`:
    two files are versions of one, and three images were not looked at.
    """
    for call in calls:
        if call.operation == SOURCES and call.result:
            return call.result
    return {}


def table_doubts(calls: Sequence[CallRecord]) -> list[str]:
    """Return the doubts in the results of `table`, without duplicates.

    A script reads a table by the operation `table`. A doubt says what it may have misread in the file:
    `/fees.csv: two columns are called "fee"`.
    """
    doubts: list[str] = []
    for call in calls:
        if call.operation != TABLE or not call.result:
            continue
        doubts_of_call = call.result.get("doubts")
        if not isinstance(doubts_of_call, list):
            continue
        for doubt in doubts_of_call:
            if str(doubt) not in doubts:
                doubts.append(str(doubt))
    return doubts

"""Which of several records of one owner is meant: the newest, the oldest, or a question back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Final

from toolkit.records.asker_identity import Identity
from toolkit.records.ids import is_same_id
from toolkit.records.record import Record
from toolkit.records.workspace_records import WorkspaceRecords

OPEN_STATES: Final = frozenset({"active", "open"})


class ChoiceKind(Enum):
    """What follows from the candidates."""

    NONE = "none"
    ASK = "ask"
    SELECTED = "selected"


@dataclass(frozen=True, slots=True)
class RecordChoice:
    """The candidates, newest first, or the one that was meant."""

    kind: ChoiceKind
    records: tuple[Record, ...] = ()


def choose_record(
    records: WorkspaceRecords, asker: Identity, *, kind: str, selector: str = "", states: Collection[str] = OPEN_STATES
) -> RecordChoice:
    """Return which open record of the asker's own is meant.

    `kind` is the word with which the ids of such records begin. With a selector (`newest`, `oldest`) that one; without,
    several are asked back about, and one alone needs no choice. Staff and guests own none.
    """
    if not asker.is_customer:
        return RecordChoice(ChoiceKind.NONE)
    own = [
        each
        for each in records.holding(asker.user)
        if each.id.startswith(kind) and is_same_id(each.owner, asker.user) and each.state in states
    ]
    own.sort(key=lambda each: (each.time, each.id), reverse=True)
    if selector in ("newest", "oldest") and own:
        return RecordChoice(ChoiceKind.SELECTED, (own[0 if selector == "newest" else -1],))
    if len(own) > 1:
        return RecordChoice(ChoiceKind.ASK, tuple(own))
    return RecordChoice(ChoiceKind.NONE)

"""Finds the records that somebody means: by ids in a text, by a link, by a name, by their owner.

"Check out basket 57" means `/proc/carts/basket_057.json`, if the asker may see this basket.
Others are not found, so that no answer tells that they exist.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from controlplane.benchmarks.shop.texts.names import names_match
from controlplane.benchmarks.shop.workspace.identity import Identity
from controlplane.benchmarks.shop.workspace.record_ids import is_same_id, loose_id
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.records.record_groups import RecordGroup
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)
from controlplane.gates.paths import record_id

_NUMBERED_NAME: Final = re.compile(
    r"(?<![\w/.-])([A-Za-z]{2,})[ _-]?(\d{1,8})(?![\w-])"
)
"""A word and a number: `basket 57`, `pay_0012`."""


def named_records(records: WorkspaceRecords, asker: Identity, text: str) -> list[str]:
    """Return the paths of the records that a text names and the asker may see.

    "Check out basket 57" -> `["/proc/carts/basket_057.json"]`. An id may lack its separator and
    its zeros. The paths are in the order of the list of files.
    """
    named = {
        loose_id(f"{word}{number}") for word, number in _NUMBERED_NAME.findall(text)
    }
    paths = []
    for path in records.files.paths:
        is_document = path.endswith(".md")
        if is_document or loose_id(record_id(path)) not in named:
            continue
        record = records.at(path)
        if record is not None and asker.may_see(record.owner):
            paths.append(path)
    return paths


def linked_paths(records: WorkspaceRecords, paths: list[str], *, key: str) -> list[str]:
    """Return the paths of the records that the records at `paths` name in the field `key`.

    `["/proc/returns/ret_1.json"]`, `payment_id` -> `["/proc/payments/pay_7.json"]`, because the
    return has `"payment_id": "pay_7"`.
    """
    targets = []
    for path in paths:
        record = records.at(path)
        link = record.data.get(key) if record is not None else None
        target = records.files.path_of(link) if isinstance(link, str) else None
        if target:
            targets.append(target)
    return list(dict.fromkeys(targets))


def record_called(candidates: list[Record], name: str) -> Record | None:
    """Return the only record with this id or name; None if there is none or several.

    If no id or name is equal, similar names count.
    """
    called = []
    for record in candidates:
        if is_same_id(name, record.id) or name == record.name:
            called.append(record)
    if not called:
        called = [record for record in candidates if names_match(record.name, name)]
    return called[0] if len(called) == 1 else None


def open_records(
    records: WorkspaceRecords,
    asker: Identity,
    states: Collection[str],
    group: RecordGroup | None = None,
) -> list[Record]:
    """Return the asker's own records that are in one of these states, newest first.

    The states `{"open"}` and the group of baskets give the customer's open baskets. Without a
    group, records of all kinds are searched. The result is empty if the asker is not a customer.
    """
    if not asker.is_customer:
        return []
    # The search finds the asker's id anywhere in a record. Below, the owner is compared.
    if group is None:
        candidates = records.with_words(asker.user)
    else:
        candidates = records.with_words_in(group, asker.user)
    own = []
    for record in candidates:
        if asker.owns(record.owner) and record.state in states:
            own.append(record)
    return sorted(own, key=lambda record: (record.time, record.id), reverse=True)


def choose_record(
    newest_first: Sequence[Record], selector: str = ""
) -> Sequence[Record]:
    """Return the `newest` or `oldest` record alone, or all records if the selector is empty."""
    if selector == "newest":
        return newest_first[:1]
    if selector == "oldest":
        return newest_first[-1:]
    return newest_first

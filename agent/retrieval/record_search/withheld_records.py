"""Finds the records that the first message must not show to the user who asks.

An environment may declare which fields of a record name its owner, and which roles see only
their own records: `RecordOwners(fields=("owner", "member"), own_only=("reader",), ...)`

| who asks | is shown the record `{"title": "Dune", "member": "u-4"}` |
|---|---|
| `u-4` | yes: it is the user's own |
| `u-17` with the role `reader`, or without a role | no: it is withheld |
| `u-17` with the roles `reader` and `clerk` | yes: a clerk sees all records |
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from controlplane.agent.retrieval.asker import Asker
from controlplane.sandbox.interface import RecordOwners


def withheld_records(
    owners: RecordOwners, asker: Asker, records: Mapping[str, str]
) -> list[str]:
    """Return the paths of the records that must not be shown. `records` has texts by path.

    They belong to another user than the one who asks. A record without an owner may be shown to
    everybody.
    """
    # One role beside those in `own_only`, such as `clerk`, is enough to see all records.
    wider_roles = asker.roles - set(owners.own_only)
    if wider_roles:
        return []
    own_id = _folded_id(asker.user)
    withheld: list[str] = []
    for path, record in records.items():
        owner = owner_of(owners, record)
        if owner is not None and _folded_id(owner) != own_id:
            withheld.append(path)
    return withheld


def owner_of(owners: RecordOwners, record: str) -> str | None:
    """Return the id of the owner that a JSON record names; None if it names none.

    With the fields `("owner", "member")`, the record `{"id": "b7", "member": "u-4"}` -> `u-4`
    """
    try:
        fields = json.loads(record)
    except (ValueError, RecursionError):
        # The record may be cut, but its owner is on a line of its own.
        fields = _fields_by_line(record)
    if not isinstance(fields, dict):
        return None
    for name in owners.fields:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def _fields_by_line(record: str) -> dict[str, str]:
    """Return the text fields of a pretty-printed JSON object, from its lines `"NAME": "VALUE"`."""
    fields: dict[str, str] = {}
    for line in record.splitlines():
        name, colon, value = line.strip().rstrip(",").partition('": "')
        if colon:
            fields.setdefault(name.strip('"'), value.strip('"'))
    return fields


def _folded_id(text: str) -> str:
    """Return an id in lower case and without separators: `U-4` -> `u4`."""
    return text.casefold().replace("-", "").replace("_", "").replace(" ", "")

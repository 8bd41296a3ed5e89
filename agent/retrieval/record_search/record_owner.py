"""Reads to whom a record belongs, from its text. A record is a file about one case.

An environment may declare the fields that name the owner:
`RecordOwners(fields=("owner", "member"), ...)`. The record `{"id": "b7", "member": "u-4"}` then
belongs to `u-4`.
"""

from __future__ import annotations

from controlplane.sandbox.interface import RecordOwners
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json


def owner_of(owners: RecordOwners, record: str) -> str | None:
    """Return the id of the owner that a JSON record names; None if it names none."""
    try:
        fields = read_json(record)
    except Unreadable:
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

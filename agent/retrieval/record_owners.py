"""Decides by a record's owner if the first message may show it to the user who asks.

An environment may declare which fields name an owner, which tool prints who asks, and which
roles see only their own records:

    RecordOwners(fields=("member",), tool="/bin/whoami", own_only=("reader",))

| who asks | is shown the record `{"title": "Dune", "member": "u-4"}` |
|---|---|
| `u-4` | yes: it is the user's own |
| `u-17` with the role `reader`, or without a role | no: it is withheld |
| `u-17` with the roles `reader` and `clerk` | yes: a clerk sees all records |
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.sandbox.interface import RecordOwners


@dataclass(frozen=True, slots=True)
class Asker:
    """The user who asks, as a tool prints it."""

    user: str = ""
    """The user's id, `u-17`; empty if the tool printed none."""
    roles: frozenset[str] = frozenset()
    """The user's roles, such as `clerk`."""


def asker_of(owners: RecordOwners, output: str) -> Asker:
    """Return the user who asks, from a tool's output: `user: u-17`, `roles: [clerk, buyer]`."""
    fields: dict[str, str] = {}
    for line in output.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip().casefold()] = value.strip()
    roles = fields.get(owners.roles_key.casefold(), "").strip("[]").casefold()
    names = {role.strip(" '\"") for role in roles.split(",")}
    return Asker(fields.get(owners.user_key.casefold(), ""), frozenset(names - {""}))


def is_withheld(owners: RecordOwners, asker: Asker, record: str) -> bool:
    """Return True if a record must not be shown to the user who asks.

    It belongs to another user, and the asker has no role that sees all records. `record` is
    JSON text. A record without an owner may be shown to everybody.
    """
    owner = owner_of(owners, record)
    if owner is None:
        return False
    # One role beside those in `own_only`, such as `clerk`, is enough to see all records.
    wider_roles = asker.roles - set(owners.own_only)
    if wider_roles:
        return False
    is_own = _folded_id(owner) == _folded_id(asker.user)
    return not is_own


def withheld_records(
    owners: RecordOwners, asker: Asker, records: Mapping[str, str]
) -> list[str]:
    """Return the paths of the records that must not be shown. `records` has texts by path."""
    return [path for path, text in records.items() if is_withheld(owners, asker, text)]


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


def asks_who(owners: RecordOwners, call: CallUnderWay) -> bool:
    """Return True if a call runs the tool that prints who asks."""
    return owners.tool in call.call.arguments.values()


def _folded_id(text: str) -> str:
    """Return an id in lower case and without separators."""
    return text.casefold().replace("-", "").replace("_", "").replace(" ", "")

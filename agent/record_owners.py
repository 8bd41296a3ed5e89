"""Whose a record is, and whether somebody who asks may be shown it in advance."""

from __future__ import annotations

import json
from dataclasses import dataclass

from controlplane.agent.evidence.recorder import CallUnderWay
from controlplane.sandbox.interface import RecordOwners


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, as the declared tool prints it. Without an output nobody is known to ask."""

    user: str = ""
    roles: frozenset[str] = frozenset()


def asker_of(owners: RecordOwners, output: str) -> Asker:
    """Return who asks, by the lines `KEY: VALUE` of a tool's output."""
    fields: dict[str, str] = {}
    for line in output.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip().casefold()] = value.strip()
    roles = fields.get(owners.roles_key.casefold(), "").strip("[]").casefold()
    names = {role.strip(" '\"") for role in roles.split(",")}
    return Asker(fields.get(owners.user_key.casefold(), ""), frozenset(names - {""}))


def is_withheld(owners: RecordOwners, asker: Asker, record: str) -> bool:
    """Say whether a record, as JSON text, has an owner and is not to be shown to the asker in advance."""
    owner = owner_of(owners, record)
    if not owner:
        return False
    sees_all = bool(asker.roles - set(owners.own_only))
    is_own = _folded_id(owner) == _folded_id(asker.user)
    return not sees_all and not is_own


def owner_of(owners: RecordOwners, record: str) -> str:
    """Return the id of the owner that a JSON record names; empty if it names none."""
    try:
        fields = json.loads(record)
    except (ValueError, RecursionError):
        # A read may cut a long record; its owner stands in a line of its own.
        fields = _fields_by_line(record)
    if not isinstance(fields, dict):
        return ""
    for name in owners.fields:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _fields_by_line(record: str) -> dict[str, str]:
    """Return the text fields of a pretty-printed JSON object, each in a line `"NAME": "VALUE"`."""
    fields: dict[str, str] = {}
    for line in record.splitlines():
        name, colon, value = line.strip().rstrip(",").partition('": "')
        if colon:
            fields.setdefault(name.strip('"'), value.strip('"'))
    return fields


def asks_who(owners: RecordOwners, call: CallUnderWay) -> bool:
    """Say whether a call runs the tool that prints who asks."""
    return owners.tool in call.call.arguments.values()


def _folded_id(text: str) -> str:
    """Return an id without case and separators."""
    return text.casefold().replace("-", "").replace("_", "").replace(" ", "")

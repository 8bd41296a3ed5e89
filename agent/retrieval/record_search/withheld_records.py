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

from collections.abc import Mapping

from controlplane.agent.retrieval.asker import Asker
from controlplane.agent.retrieval.record_search.record_owner import owner_of
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


def _folded_id(text: str) -> str:
    """Return an id in lower case and without separators: `U-4` -> `u4`."""
    return text.casefold().replace("-", "").replace("_", "").replace(" ", "")

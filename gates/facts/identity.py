"""Who is signed in, and whether a record is somebody else's."""

from __future__ import annotations

from typing import Final

from gates.facts.records import Record, fields_of, id_prefix, is_id
from gates.types.evidence import Evidence
from gates.types.terms import fold_text

_MAX_CHARS: Final = 2_000


def signed_in_ids(evidence: Evidence) -> frozenset[str] | None:
    """Return the ids, folded, that tools named when they ran without arguments: whoever is signed in is among them.

    Only output that the script cannot have made up counts, and of that only fields with values (`user: cust-7`). None
    if no such tool ran; empty if one ran and named nobody: then a guest is signed in.
    """
    found: set[str] = set()
    has_answered = False
    for each in evidence.executions:
        touch = evidence.touches.get(each.path)
        if each.has_failed or each.arguments or each.kind != "reads" or touch is None:
            continue
        for seen in touch.seen:
            fields = fields_of(seen.text) if seen.is_proof and len(seen.text) <= _MAX_CHARS else None
            has_answered |= fields is not None
            found.update(fold_text(value) for held in (fields or {}).values() for value in held if is_id(value))
    return frozenset(found) if has_answered else None


def owner_against(record: Record, signed_in: frozenset[str]) -> str:
    """Return the id of the other whom a record names where the signed-in user's would stand, or an empty string.

    The other's id has the form of the signed-in user's (`cust-0042` beside `cust-0007`). A record that names the user
    too is nobody else's, and neither is the record of a user as such.
    """
    prefixes = {id_prefix(each) for each in signed_in}
    beginnings = tuple(prefixes)
    kin = [each for each in record.owners if each.lower().startswith(beginnings) and id_prefix(each) in prefixes]
    if not kin or any(fold_text(each) in signed_in for each in kin):
        return ""
    return kin[0]

"""Sorts the files that a trial accessed into records, which have values, and prose."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.gates.records import Values, parse
from controlplane.gates.trial.accesses import Access


def records_in(accesses: Mapping[str, Access]) -> dict[str, Values]:
    """Return the values of each record whose whole text was read or written, by path."""
    records: dict[str, Values] = {}
    for path, access in accesses.items():
        values = record_values(access)
        if values:
            records[path] = values
    return records


def record_values(access: Access) -> Values:
    """Return the values of a file: of the last text that shows it whole.

    Prose has no values, and the output of a tool is not a record.
    """
    if "execute" in access.actions:
        return ()
    for seen in reversed(access.seen):
        values = parse(seen.text, access.path) if seen.shows_whole_file else ()
        if values:
            return values
    return ()


def documents_in(accesses: Mapping[str, Access]) -> dict[str, str]:
    """Return the texts of files that were only read and contain prose, by path.

    Texts that a script may have supplied are left out.
    """
    documents: dict[str, str] = {}
    for path, access in accesses.items():
        was_only_read = access.actions == {"read"}
        is_record = any(parse(seen.text, path) for seen in access.seen)
        if was_only_read and not is_record:
            proofs = [seen.text for seen in access.seen if seen.is_proof]
            documents[path] = "\n".join(proofs)
    return documents

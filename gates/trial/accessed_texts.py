"""Sorts the files that a trial accessed into records and prose.

A record has named values: JSON, a table, or lines such as `state: open`. Prose has none. So
`/loans/L-7.json` goes to `records_in`, and `/docs/rules.md` to `documents_in`.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.gates.records import Values, parse
from controlplane.gates.trial.accesses import Access


def records_in(accesses: Mapping[str, Access]) -> dict[str, Values]:
    """Return the values of each record whose whole text was read or written, by path."""
    records: dict[str, Values] = {}
    for path, access in accesses.items():
        values = _record_values(access)
        if values:
            records[path] = values
    return records


def _record_values(access: Access) -> Values:
    """Return the values of the last text that shows a file whole; `()` if it is not a record."""
    is_tool = "execute" in access.actions
    if is_tool:  # what it printed is not a record
        return ()
    for seen in reversed(access.seen):
        if not seen.shows_whole_file:
            continue
        values = parse(seen.text, access.path)
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
            documents[path] = "\n".join(proof.text for proof in access.proofs)
    return documents

"""A record may be called by its id, its name, and what is its own in that among those that may be meant."""

from __future__ import annotations

import pytest

from benchmarks.shop.computed.questions.set_members import member_of
from benchmarks.shop.computed.shop_workspace import Record


def branch(name: str, city: str = "Gent") -> Record:
    return Record(f"/proc/stores/store-{len(name)}.json", {"name": name, "city": city})


PORT, CENTRE, FAR = branch("Kade Gent Port"), branch("Kade Gent Centre"), branch("Kade Brugge Quays", "Brugge")


@pytest.mark.parametrize(
    ("record", "scope", "names"),
    [
        (PORT, [PORT, CENTRE], {"store-14", "Kade Gent Port", "port"}),
        (CENTRE, [PORT, CENTRE, branch("New Centre")], {"store-16", "Kade Gent Centre"}),
        (FAR, [PORT, CENTRE], {"store-17", "Kade Brugge Quays"}),
        (PORT, [PORT], {"store-14", "Kade Gent Port", "kade", "port"}),
        (branch("Kade Gent No"), [PORT, branch("Kade Gent No")], {"store-12", "Kade Gent No"}),
        (branch("Kade Gent Sud"), [PORT, branch("Kade Gent Sud")], {"store-13", "Kade Gent Sud", "sud"}),
        (Record("/proc/stores/store-1.json", {}), [PORT], {"store-1"}),
    ],
)
def test_names_are_those_that_no_other_one_in_scope_shares(
    record: Record, scope: list[Record], names: set[str]
) -> None:
    found = member_of(record, scope)
    assert (found.path, found.names) == (record.path, names)

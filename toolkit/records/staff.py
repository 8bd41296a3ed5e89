"""Who works where, and in which role."""

from __future__ import annotations

from toolkit.finding import Finding, Reference
from toolkit.records.asker_identity import Identity
from toolkit.records.record import Record, stem_of
from toolkit.records.workspace_records import WorkspaceRecords
from toolkit.text import names_match, normal_words


def staff(records: WorkspaceRecords) -> list[Record]:
    """Return everybody with roles, by path."""
    return [each for each in records.in_groups(_has_roles) if each.roles]


def _has_roles(record: Record) -> bool:
    return bool(record.roles)


def staff_at(records: WorkspaceRecords, place: Record) -> list[Record]:
    """Return everybody with roles at a place, by path."""
    return [each for each in records.holding(place.id) if each.roles and place.id in each.links()]


def branches(records: WorkspaceRecords) -> list[Record]:
    """Return what the people who work here are linked to, and everything else of its group, by path."""
    people = [each for _, samples in records.samples() for each in samples if each.roles]
    linked = {link for person in people for link in person.links()}
    groups = {group for group in records.groups if any(stem_of(path) in linked for path in group.paths)}
    found = records.read(sorted(path for each in groups for path in each.paths))
    return [each for each in found if not each.roles]


def named(candidates: list[Record], name: str) -> Record | None:
    """Return the one record that a name fits, by id or by words; None for none or several."""
    exact = [each for each in candidates if name in (each.id, each.name)]
    found = exact or [each for each in candidates if names_match(each.name, name)]
    return found[0] if len(found) == 1 else None


def staff_with_role(records: WorkspaceRecords, role: str, branch: str = "") -> Finding[int] | None:
    """Return how many people have a role, at one branch if it is named; None if nobody knows that branch.

    Each counted record is cited, and the branch where one is named.
    """
    wanted = normal_words(role)
    place = named(branches(records), branch) if branch else None
    if not wanted or (branch and place is None):
        return None
    return role_holders(records, role, place)


def role_holders(records: WorkspaceRecords, role: str, place: Record | None = None) -> Finding[int]:
    """Return how many people have a role, at one place or everywhere; each is cited, and the place."""
    wanted = normal_words(role)
    found = [
        each
        for each in (staff_at(records, place) if place else records.holding(role))
        if wanted in {normal_words(one) for one in each.roles}
    ]
    refs = [Reference(each.path, f"{each.name or each.id} has the role {role}") for each in found]
    if place is not None:
        refs.insert(0, Reference(place.path, f"the branch {place.name}"))
    return Finding(len(found), tuple(refs))


def leads_branch(
    records: WorkspaceRecords, asker: Identity, *, person: str, branch: str, lead_role: str
) -> Finding[bool]:
    """Return whether a person leads a branch. Askers from outside are shown the branch, never the person."""
    place = named(branches(records), branch)
    someone = named(staff_at(records, place), person) if place else None
    if place is None or someone is None or normal_words(lead_role) not in {normal_words(one) for one in someone.roles}:
        return Finding(False, notes=(f"nobody of this name leads {branch}",))
    cited = Reference(place.path, f"the branch {place.name}")
    if asker.is_outside:
        return Finding(True, (cited,))
    return Finding(True, (Reference(someone.path, f"{someone.name} has the role {lead_role}"), cited))


def shielded(records: WorkspaceRecords, asker: Identity, paths: list[str]) -> list[str]:
    """Return paths in which, for an asker from outside, a person's branch stands for the person."""
    if not asker.is_outside:
        return paths
    found: list[str] = []
    for path in paths:
        record = records.at(path)
        if record is None or not _is_person(record, records):
            found.append(path)
            continue
        found += [each for link in record.links() if (each := records.path_of(link)) and each != path][:1]
    return list(dict.fromkeys(found))


def _is_person(record: Record, records: WorkspaceRecords) -> bool:
    """A person has roles, or is linked to a place and belongs to nobody."""
    if record.roles:
        return True
    return not record.owner and any(
        (other := records.record(link)) is not None and other.name and other.path != record.path
        for link in record.links()
    )

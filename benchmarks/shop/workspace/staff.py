"""The people who work in a shop, and the pages that say what their roles may see and do."""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.texts import (
    normal_words,
    quoted_sentence,
    value_or_raise,
)
from controlplane.benchmarks.shop.workspace.kinds import OWNED, Kind
from controlplane.benchmarks.shop.workspace.reading import Identity, id_of
from controlplane.benchmarks.shop.workspace.records import (
    WorkspaceRecord,
    WorkspaceRecords,
    record_called,
    sampled_groups,
)
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

# The people who work in a shop: where, in which roles, and what others may learn about them.
#
# A person's record has roles and names a branch: `{"name": "Jan Vos", "roles": ["floor_lead"],
# "works_at": "store_graz"}`.

# The record that an argument of a call names, and whether the asker may see it.
#
# A script calls `may_use("Basket-12")` or `may_use("/proc/carts/basket_12.json")`. Both name the
# same record. If there is none, the refusal names the closest paths.


def named_record(layout: ShopLayout, name: str) -> WorkspaceRecord:
    """Return the record that a name means. The name is the record's id, or its path.

    Raises `CannotRead`, with the closest paths, if there is none or several.
    """
    if name in layout.files.paths:
        record = layout.records.at(name)
    else:
        record = layout.records.record(id_of(name))
    if record is None:
        msg = f"no single record is called {name!r}; closest: {layout.files.closest(name)}"
        raise CannotRead(msg)
    return record


def reference_to(record: WorkspaceRecord, kind: Kind | None) -> Reference:
    """Return a reference to a record.

    Its reason gives the record's kind, id and name, if it has one.
    """
    reason = f"the {kind or 'record'} {record.id}"
    if record.name not in ("", record.id):
        reason += f", {record.name}"
    return Reference(record.path, reason)


def is_visible(layout: ShopLayout, record: WorkspaceRecord, kind: Kind | None) -> bool:
    """Return True if the asker may see a record.

    Staff see all. Others do not see people, and of baskets, payments and returns only their
    own. They see all other records, such as products.
    """
    if kind is Kind.EMPLOYEE and not layout.asker.is_staff:
        return False
    owner = record.owner if kind in OWNED else ""  # Everybody sees what has no owner.
    return layout.asker.may_see(owner)


def _staff_at(
    records: WorkspaceRecords, branch: WorkspaceRecord
) -> list[WorkspaceRecord]:
    """Return all people with roles at a branch, sorted by path."""
    staff = []
    for record in records.with_words(branch.id):
        if record.roles and branch.id in record.links():
            staff.append(record)
    return staff


def branches(records: WorkspaceRecords) -> list[WorkspaceRecord]:
    """Return the branches, sorted by path.

    People name the branch where they work. So a group of records, such as all files of a
    folder, is one of branches if it contains a record that a person names.
    """
    # 1. Collect the ids that a few people name. Only people have roles.
    workplace_ids: set[str] = set()
    for sampled_group in sampled_groups(records):
        for sample in sampled_group.samples:
            if sample.roles:
                workplace_ids.update(sample.links())

    # 2. Find their groups. A person may also name another person, so people are left out.
    paths: set[str] = set()
    for group in records.files.groups:
        if any(record_id(path) in workplace_ids for path in group.paths):
            paths.update(group.paths)
    return [record for record in records.read(sorted(paths)) if not record.roles]


def role_holders(
    records: WorkspaceRecords, role: str, branch: WorkspaceRecord | None = None
) -> FunctionResult[int]:
    """Return the number of people with a role, at one branch or everywhere.

    The result cites these people and the branch.
    """
    people = records.with_words(role) if branch is None else _staff_at(records, branch)
    holders = [person for person in people if _has_role(person, role)]
    references = []
    if branch is not None:
        references.append(Reference(branch.path, f"the branch {branch.name}"))
    for person in holders:
        references.append(
            Reference(person.path, f"{person.name or person.id} has the role {role}")
        )
    return FunctionResult(len(holders), tuple(references))


def check_employment(
    records: WorkspaceRecords, asker: Identity, person: str, branch: str, role: str = ""
) -> FunctionResult[bool]:
    """Return whether a person works at a branch and, if a role is given, has this role.

    `person` and `branch` are names or ids: `Jan Vos`, `Graz`, `floor_lead` -> True, if Jan Vos
    works there in this role. The result cites the person's record and the branch. Customers and
    guests may not see records of people, so for them it cites only the branch.
    """
    role_text = f"the role {role}" if role else "the role of staff"
    note = f"nobody called {person} has {role_text} at {branch}"
    refutation = FunctionResult(False, notes=(note,))

    branch_record = record_called(branches(records), branch) if branch else None
    if branch_record is None:
        return refutation
    employee = record_called(_staff_at(records, branch_record), person)
    if employee is None:
        return refutation
    if role and not _has_role(employee, role):
        return refutation

    branch_reference = Reference(branch_record.path, f"the branch {branch_record.name}")
    if asker.is_outside:
        return FunctionResult(True, (branch_reference,))
    person_reference = Reference(employee.path, f"{employee.name} has {role_text}")
    return FunctionResult(True, (person_reference, branch_reference))


def _has_role(person: WorkspaceRecord, role: str) -> bool:
    """Return True if a person has a role, in any spelling: `floor lead` for `floor_lead`."""
    return normal_words(role) in {normal_words(own_role) for own_role in person.roles}


def with_branches_for_people(
    records: WorkspaceRecords, asker: Identity, paths: list[str]
) -> list[str]:
    """Return paths that the asker may cite, with a person's branch in place of the person.

    `["/proc/staff/emp_4.json"]` -> `["/proc/stores/store_graz.json"]`, because customers and
    guests may not see records of people. A person without a branch is left out. For staff, the
    paths stay as they are.
    """
    if not asker.is_outside:
        return paths
    citable: list[str] = []
    for path in paths:
        record = records.at(path.partition("#")[0])
        if record is None or not _is_person(record, records):
            citable.append(path)
            continue
        workplace = _workplace_of(record, records)
        if workplace is not None:
            citable.append(workplace)
    return list(dict.fromkeys(citable))


def _workplace_of(person: WorkspaceRecord, records: WorkspaceRecords) -> str | None:
    """Return the path of the branch where a person works; None if the person's record names none.

    It is taken to be the first other record whose id is in the person's record, such as
    `"works_at": "store_graz"`.
    """
    for path in records.paths_named_by(person):
        if path != person.path:
            return path
    return None


def _is_person(record: WorkspaceRecord, records: WorkspaceRecords) -> bool:
    """Return True if a record is a person's."""
    # 1. Only people have roles.
    if record.roles:
        return True
    # 2. A record with an owner is a basket, a payment or a return.
    if record.owner:
        return False
    # 3. If the field with the roles is not known, a person's record is known by the branch that it
    #    names. A branch is a record with a name.
    for link in record.links():
        linked = records.record(link)
        if linked is not None and linked.name and linked.path != record.path:
            return True
    return False


# Reads a shop's policies: which page says who may see what, and which roles pages require.
#
# For example, the page "Discounts are given by staff holding the role `floor_lead`" requires this
# role of an employee who wants to give one (`lacks_discount_role`).


def access_policy(layout: ShopLayout) -> str:
    """Return the path of the document that says who may see and do what.

    Raises `CannotRead`, with the paths of all documents, if it is not certain which one it is.
    """
    documents = ", ".join(sorted(layout.documents.texts)) or "none"
    return value_or_raise(
        layout.policies.by_subject.get("security"),
        f"no single document tells who may see and do what, but {documents}",
    )


def cited_rule(layout: ShopLayout, path: str, words: str) -> Reference:
    """Return a reference to a document, with the sentence that gives the reason.

    `words` is a pattern of words that this sentence is likely to have, such as
    `contact|e-?mail|phone`. The sentence with the most of them is quoted.
    """
    return Reference(path, quoted_sentence(layout.documents.texts[path], words))


# Roles ------------------------------------------------------------------------------------------


def lacks_discount_role(layout: ShopLayout) -> bool:
    """Return True if the asker is a member of staff without a role that may give discounts.

    The result is False if that is not certain.
    """
    policy_path = layout.policies.by_subject.get("discounts")
    if policy_path is None or not layout.asker.is_staff:
        return False
    # A notice may have changed the policy. Then the model has to read both.
    if layout.policies.is_amended(policy_path):
        return False
    return bool(lacked_roles(layout, layout.documents.texts[policy_path]))


_ROLE_NAMED: Final = re.compile(
    # holding the role `floor_lead`
    r"\b(?:roles?|holding|holds|with)\b[^.`]{0,20}`(?P<role_after>[\w-]+)`"
    # the `floor_lead` role
    r"|`(?P<role_before>[\w-]+)`[^.`]{0,60}\broles?\b",
    re.IGNORECASE,
)
"""A word in backticks that may be the name of a role."""


def lacked_roles(layout: ShopLayout, text: str) -> set[str]:
    """Return the roles of which a text requires one; none if the asker has one of them.

    "Staff holding the role `floor_lead` or the `manager` role" -> `floor_lead`, `manager`.
    Other words may be in backticks, too. So a word counts as a role only if somebody in
    the shop has it.
    """
    one_line = re.sub(r"\s+", " ", text)
    named_roles = set()
    for match in _ROLE_NAMED.finditer(one_line):
        role = match["role_after"] or match["role_before"]
        named_roles.add(role.casefold())
    if not layout.asker.roles.isdisjoint(named_roles):
        return set()
    required_roles = set()
    for role in named_roles:
        number_of_holders = role_holders(layout.records, role).value
        if number_of_holders > 0:
            required_roles.add(role)
    return required_roles

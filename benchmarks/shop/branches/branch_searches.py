"""Finds a shop's branches by the names that people use for them.

`Veerhaven Utrecht Lombok` is found by its full name, by a part of it that no other branch
has ("the Lombok branch"), or, with all others of its city, by "Utrecht".
"""

from __future__ import annotations

from difflib import get_close_matches

from controlplane.benchmarks.shop.branches.branch_names import (
    NamedBranch,
    named_branches,
)
from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.texts.names import (
    identified_by_words,
    names_match,
    normal_words,
)
from controlplane.benchmarks.shop.workspace.field_shapes import Shape, keys_of
from controlplane.benchmarks.shop.workspace.identity import id_of, is_same_id
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records import WorkspaceRecord
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import CannotRead


def branch_called(layout: ShopLayout, name: str) -> WorkspaceRecord:
    """Return the branch with an id, a path, a name, or a part of a name that no other branch has.

    Raises `CannotRead`, with the closest names, if there is none or several.
    """
    # `raw_records` are enough, because branches have no owner, state or time. They are
    # read even if the shop's names for these fields are not certain.
    records = layout.raw_records

    # 1. The name is an id or a path.
    if name.strip():
        record = records.record(id_of(name))
        if record is not None and layout.kinds.of(record.path) is Kind.BRANCH:
            return record

    # 2. The name means exactly one branch.
    branches = named_branches(layout)
    candidates = _branches_called(branches, name)
    if len(candidates) == 1:
        return records.read([candidates[0].path])[0]

    # 3. It means several, or none.
    if candidates:
        closest = [branch.name for branch in candidates]
    else:
        all_names = [branch.name for branch in branches]
        closest = get_close_matches(name, all_names, n=3, cutoff=0)
    msg = f"no single branch is called {name!r}; closest: {', '.join(closest)}"
    raise CannotRead(msg)


def _branches_called(branches: list[NamedBranch], name: str) -> list[NamedBranch]:
    """Return the branches that a name may mean. The first rule that finds any counts.

    | name | `Veerhaven Utrecht Lombok`, because |
    |---|---|
    | `veerhaven utrecht lombok` | it is called so |
    | `the Lombok branch` | no other branch has this word |
    | `Veerhaven Utrecht Lombock` | no other branch has such a similar name |
    """
    # 1. They have exactly this name.
    name_words = normal_words(name)
    exact = []
    for branch in branches:
        if normal_words(branch.name) == name_words or is_same_id(branch.name, name):
            exact.append(branch)
    if exact:
        return exact

    # 2. The name has words of theirs that no others have. Words of the city do not count, because
    #    they name all its branches.
    own_words = {branch: branch.own_words for branch in branches}
    identified = identified_by_words(own_words, set(name_words.split()))
    if identified:
        return identified

    # 3. Only one has a similar name.
    similar = [branch for branch in branches if names_match(branch.name, name)]
    return similar if len(similar) == 1 else []


def branches_around(layout: ShopLayout, place: str) -> list[WorkspaceRecord]:
    """Return the branches of a city, or of the city of a named branch, sorted by name.

    `Utrecht`, or `Veerhaven Utrecht Lombok` -> the records of all branches in Utrecht. Raises
    `CannotRead` for an unknown place.
    """
    branches = named_branches(layout)
    city = _city_called(branches, place)
    if not city:
        branch_path = branch_called(layout, place).path
        for branch in branches:
            if branch.path == branch_path:
                city = branch.city
    records = layout.records.read(
        [branch.path for branch in branches if branch.city == city]
    )
    names = {branch.path: branch.name for branch in branches}
    return sorted(records, key=lambda record: names[record.path])


def _city_called(branches: list[NamedBranch], name: str) -> str:
    """Return the only city with this name, in any spelling; empty if there is none or several."""
    cities = {branch.city for branch in branches if branch.city}
    called = [city for city in cities if normal_words(city) == normal_words(name)]
    if not called:
        called = [city for city in cities if names_match(city, name)]
    return called[0] if len(called) == 1 else ""


def is_open(layout: ShopLayout, branch: WorkspaceRecord) -> bool:
    """Return True if a branch is open: `{"id": "branch_1", "trading": true}` -> True.

    Shops call the field differently. It is the only field of a branch whose value is true or
    false. Raises `CannotRead` if a branch has several such fields, or none.
    """
    flags = keys_of(layout.kinds.samples(Kind.BRANCH)[0], Shape.FLAG)
    require(
        len(flags) == 1,
        "it is not certain which field of a branch says whether it is open",
    )
    return branch.data.get(flags[0]) is True

"""What is known of a shop's branches: their names in requests, and what each has in stock."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from controlplane.benchmarks.shop.texts import (
    identified_by_words,
    marked_words,
    names_match,
    normal_words,
    require,
    value_or_raise,
)
from controlplane.benchmarks.shop.workspace.fields import (
    BranchFields,
    Data,
    Shape,
    StockFields,
    branch_fields,
    every_row,
    keys_of,
    rows_of,
    stock_fields,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.reading import (
    id_of,
    is_same_id,
    text_field_pattern,
)
from controlplane.benchmarks.shop.workspace.records import WorkspaceRecord
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import CannotRead

# The names and cities of all branches of a shop, read by one search instead of many reads.
#
# "The Lombok branch" can only be found if the names of all branches are known. A shop may have
# hundreds of them, and to read a record each would take long. So one search returns the lines with
# these two fields, such as `"city": "Utrecht",`.

_JSON_STRING: Final = r'"(?:[^"\\]|\\.)*"'
"""`"Utrecht"`, also with escapes in it."""


@dataclass(frozen=True, slots=True)
class _NamedBranch:
    """The name and city of a branch, before its record is read."""

    path: str
    name: str
    city: str

    @property
    def own_words(self) -> frozenset[str]:
        """The words of the branch's name that are not in the name of its city.

        `Veerhaven Utrecht Lombok` in `Utrecht` -> `veerhaven`, `lombok`
        """
        city_words = normal_words(self.city).split()
        return frozenset(normal_words(self.name).split()).difference(city_words)


def named_branches(layout: ShopLayout) -> list[_NamedBranch]:
    """Return all branches with their names and cities.

    The records are not read. One search through the folder of branches finds the lines
    with these two fields in all of them, such as `  "city": "Utrecht",`.
    """
    fields = _fields_of_branches(layout)
    keys = [key for key in (fields.name, fields.city) if key]
    any_key = "|".join(re.escape(key) for key in keys)
    # The search finds whole lines. This pattern takes the field and its text out of them.
    key_and_text = re.compile(rf'"({any_key})":\s*({_JSON_STRING})')
    texts_by_path: dict[str, dict[str, str]] = {}
    folder = layout.kinds.group(Kind.BRANCH).root
    for path, line in layout.reader.search(text_field_pattern(keys), folder):
        for key, json_text in key_and_text.findall(line):
            texts = texts_by_path.setdefault(path, {})
            texts.setdefault(key, str(json.loads(json_text)))
    branches = []
    for path, texts in texts_by_path.items():
        branches.append(
            _NamedBranch(path, texts.get(fields.name, ""), texts.get(fields.city, ""))
        )
    return branches


@lru_cache(maxsize=2)
def _fields_of_branches(layout: ShopLayout) -> BranchFields:
    """Return what the shop calls the name and the city of a branch, learned from one branch."""
    fields = branch_fields(layout.kinds.samples(Kind.BRANCH)[0])
    return value_or_raise(
        fields, "it is not certain which field of a branch is its name"
    )


# Finds a shop's branches by the names that people use for them.
#
# `Veerhaven Utrecht Lombok` is found by its full name, by a part of it that no other branch
# has ("the Lombok branch"), or, with all others of its city, by "Utrecht".


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


def _branches_called(branches: list[_NamedBranch], name: str) -> list[_NamedBranch]:
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


def _city_called(branches: list[_NamedBranch], name: str) -> str:
    """Return the only city with this name, in any spelling; empty if there is none or several."""
    cities = {branch.city for branch in branches if branch.city}
    called = [city for city in cities if normal_words(city) == normal_words(name)]
    if not called:
        called = [city for city in cities if names_match(city, name)]
    return called[0] if len(called) == 1 else ""


def branches_named_by(layout: ShopLayout, record: WorkspaceRecord) -> list[str]:
    """Return the paths of the branches that a record names, each once.

    `{"id": "basket_1", "store": "store_graz"}` -> `["/proc/stores/store_graz.json"]`
    """
    paths = []
    for path in layout.records.paths_named_by(record):
        if layout.kinds.of(path) is Kind.BRANCH and path not in paths:
            paths.append(path)
    return paths


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


# The stock of one branch of a shop: units on hand, reserved, and expected by a day.
#
# "Do you have 4 of AB-1 in Graz?" depends on the units that are on hand and not reserved for
# other customers. "By Friday?" also counts the deliveries that arrive until then.


@dataclass(frozen=True, slots=True)
class _StockUnits:
    """The units of one product at one branch."""

    on_hand: int
    reserved: int
    available: int
    """Units on hand that are not reserved. They can be sold today."""
    within: int
    """Units available today plus those delivered within the requested number of days.

    The name is that in the results of `stock_at`.
    """


class BranchStock:
    """The stock of one branch, as its record lists it: one row for each product.

    `{"stock": [{"sku": "AB-1", "on_hand": 4, "reserved": 1, "incoming": [{"quantity": 20,
    "arrival_in_days": 3}]}]}` has 3 available units of AB-1, and 23 within 3 days. The
    names of these fields (`StockFields`) differ from shop to shop.
    """

    def __init__(self, branch: WorkspaceRecord, fields: StockFields) -> None:
        self.branch = branch
        self._fields = fields
        self._rows = {
            str(row.get(fields.code)): row for row in rows_of(branch.data, fields.rows)
        }

    def units(self, code: str, days: int = 0) -> _StockUnits:
        """Return the units of a product, including deliveries within some days.

        All counts are 0 if the branch does not list the product. Raises `CannotRead` if
        deliveries cannot be read.
        """
        row = self._rows.get(code, {})
        on_hand = int(row.get(self._fields.on_hand, 0))
        reserved = int(row.get(self._fields.reserved, 0))
        available = max(on_hand - reserved, 0)
        delivered = self._delivered_units(row, days)
        return _StockUnits(on_hand, reserved, available, within=available + delivered)

    def _delivered_units(self, row: Data, days: int) -> int:
        """Return the units of a row that are delivered within some days."""
        delivery_fields = self._fields.deliveries
        if delivery_fields is None:  # unknown, or there are no deliveries
            # Deliveries are the only rows inside a row, so any list of rows is one of them.
            has_deliveries = any(rows_of(row, key) for key in keys_of(row, Shape.ROWS))
            if days and has_deliveries:
                msg = "it is not certain which field of a delivery says in how many days it arrives"
                raise CannotRead(msg)
            return 0
        units = 0
        for delivery in rows_of(row, delivery_fields.rows):
            if int(delivery[delivery_fields.days]) <= days:
                units += int(delivery[delivery_fields.quantity])
        return units


def stock_of(layout: ShopLayout, branch: WorkspaceRecord) -> BranchStock:
    """Return the stock of a branch. Raises `CannotRead` if the names of its fields are not certain."""
    return BranchStock(branch, fields_of_stock(layout, branch))


def fields_of_stock(layout: ShopLayout, branch: WorkspaceRecord) -> StockFields:
    """Return the names of the fields of a branch's stock.

    They are learned from a branch that lists deliveries, because only its rows have all
    fields, or else from the given branch. Raises `CannotRead` if they are not certain.
    """
    example = branch.data
    for data in (branch.data, *layout.kinds.samples(Kind.BRANCH)):
        if _lists_deliveries(data):
            example = data
            break
    policy = layout.policies.text_of("stock")
    names_in_policy = frozenset(marked_words(policy))  # the words in backticks
    fields = stock_fields(example, names_in_policy)
    return value_or_raise(
        fields, "it is not certain which fields of a branch count its units"
    )


def _lists_deliveries(branch: Data) -> bool:
    """Return True if a row of a branch's stock contains rows itself, which are deliveries."""
    # `every_row` yields the rows that are listed in a field of a record, or of a row.
    stock_rows = [row.data for row in every_row([branch])]
    delivery_rows = list(every_row(stock_rows))
    return bool(delivery_rows)


# The decorator `layout_from_harness` makes the layout, which is the workspace of the shop, from
# the `harness` of a script. So scripts call these functions without the argument `layout`.

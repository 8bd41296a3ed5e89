"""A generated world, and its files as a workspace."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any, Final

from pydantic_core import to_json

from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.company import Policy
from controlplane.benchmarks.ecom.world.names import Layout, WorldNames, WorldProfile
from controlplane.benchmarks.ecom.world.pages import (
    SECURITY,
    PageFacts,
    WorldNotices,
    page_texts,
)
from controlplane.benchmarks.ecom.world.products import WorldCatalogue
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Employee,
    Payment,
    Record,
    Return,
    Store,
)
from controlplane.sandbox.interface import Plain

# A generated world: the records of a shop, its files and notices, and the user who asks.
#
# `generate` makes it from a seed. Then a family of tasks adapts it to a request: it signs a
# user in, and adds the basket or the upload that the request is about.

# The session of the user who asks: the id and the roles.


@dataclass(frozen=True, slots=True)
class _Session:
    """The user who is signed in."""

    user: str
    """The user's id, such as `cust-0174`."""
    roles: tuple[str, ...]


GUEST: Final = _Session("anonymous", ("guest",))
"""The session of a user who is not signed in."""


def session_of_customer(customer_id: str) -> _Session:
    """Return the session of a customer."""
    return _Session(customer_id, ("customer",))


@dataclass(slots=True)
class World:
    """A shop on one day, and the user who asks. Generated for each trial."""

    # What `generate` draws from the seed

    names: WorldNames
    """The names of everything: paths, fields, states, verbs and pages."""
    policy: Policy
    """The rules that are valid, which the right answers follow."""
    notices: WorldNotices
    """What the pages state instead, and the notices that override them."""
    origin: Mapping[str, str]
    """Facts about the company's history, from `_choose_origin`."""
    clock: datetime
    """The world's time in UTC, which stands still."""
    profile: WorldProfile
    """How difficult the world is."""
    flat_paths_resolve: bool
    """True if a record in a sub-directory can also be read by a path directly below its root."""

    # What a task draws from, in a fixed order

    rng: Random
    unused_numbers: list[int]
    """Numbers for ids, shuffled so that an id does not show when its record was created."""

    # The records. A task adds some and changes others.

    catalogue: WorldCatalogue
    stores: dict[str, Store]
    """The branches, by id."""
    employees: dict[str, Employee]
    baskets: dict[str, Basket] = field(default_factory=dict)
    payments: dict[str, Payment] = field(default_factory=dict)
    returns: dict[str, Return] = field(default_factory=dict)

    # What only a task adds

    session: _Session = GUEST
    """The user who asks."""
    files: dict[str, str] = field(default_factory=dict)
    """Files other than records and pages, such as uploads, by path."""
    directories: list[str] = field(default_factory=list)
    """Directories in addition to those that every world has."""
    remarks: dict[str, dict[str, Plain]] = field(default_factory=dict)
    """Additional fields of records, by path."""
    outbox: str = ""
    """The file for requests to other systems, which a page names; empty if there is none."""

    @property
    def layout(self) -> Layout:
        """The paths of records and the form of their ids."""
        return self.names.layout

    def wording(self, name: str, /, **values: object) -> str:
        """Return a random wording of a request, from the set of wordings that this world uses."""
        template = self.rng.choice(self.names.wordings(name))
        return template.format(**values)

    def new_id(self, prefix: str) -> str:
        """Return an unused id: `basket` -> `basket-0412`."""
        return self.layout.id_of(prefix, self.unused_numbers.pop())

    def path(self, record: Record) -> str:
        """Return the path of a record's file."""
        return self.layout.path_of(record)

    def paths(self, *records: Record) -> tuple[str, ...]:
        """Return the paths of records."""
        return tuple(self.path(record) for record in records)

    def page_paths(self, *keys: str) -> tuple[str, ...]:
        """Return the paths of pages, given by their keys."""
        return tuple(self.names.pages[key] for key in keys)

    def ago(self, *, days: float = 0, minutes: float = 0) -> str:
        """Return a time before the world's clock, in the format of records."""
        return format_instant(self.clock - timedelta(days=days, minutes=minutes))


_ID_CHARACTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
"""The characters of random ids, without `I`, `O`, `l` and `0`, which look like others."""


def random_id(rng: Random, prefix: str, length: int) -> str:
    """Return a prefix with so many random characters: `dev_k3Vw8yRt` for `dev_` and 8."""
    return prefix + "".join(rng.choices(_ID_CHARACTERS, k=length))


def format_instant(moment: datetime) -> str:
    """Return a time in the format of records: `2027-03-04T10:20:30Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def table_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a tab-separated table of at least one row, with the keys of the first as header.

    `[{"lane_id": "lane-a-hub", "eta": 2}]` -> `lane_id\\teta\\nlane-a-hub\\t2\\n`
    """
    lines = ["\t".join(rows[0])]
    for row in rows:
        lines.append("\t".join(str(cell) for cell in row.values()))
    return "".join(f"{line}\n" for line in lines)


# Signs a random user in to a world: a new customer, one of its employees, or anyone.
#
# Who is signed in decides what a request may get. A user who is not signed in is a guest.


def sign_in_customer(world: World) -> str:
    """Sign in a new customer and return the id."""
    customer_id = world.new_id("cust")
    world.session = session_of_customer(customer_id)
    return customer_id


def sign_in_employee(
    world: World, *, store: Store | None = None, role: str = "", without: str = ""
) -> Employee:
    """Sign in a random employee, who gets `role` and loses the role `without`.

    With `store`, the employee works at this branch.
    """
    staff = list(world.employees.values())
    if store is not None:
        staff = [employee for employee in staff if employee.store_id == store.id]
    employee = world.rng.choice(staff)
    if role and role not in employee.roles:
        employee.roles.append(role)
    if without in employee.roles:
        employee.roles.remove(without)
    world.session = _Session(employee.id, tuple(employee.roles))
    return employee


def sign_in_anyone(world: World, *, or_guest: bool = False) -> None:
    """Sign in a random user: a customer, an employee or, with `or_guest`, nobody.

    Of 100 users, 40 are employees. With `or_guest`, 15 of the other 60 stay guests.
    """
    draw = world.rng.random()
    if draw >= 0.6:
        sign_in_employee(world)
    elif draw >= 0.45 and or_guest:
        return  # A world begins with a guest.
    else:
        sign_in_customer(world)


# Renders a world as the workspace of a trial: a file for each record, page and notice.
#
# The basket `basket-0412` becomes the file `/proc/baskets/basket-0412.json` with the text
# `{"id": "basket-0412", "customer_id": "cust-0174", ...}`, in the names of the world.


def workspace_of(world: World) -> Workspace:
    """Return the world as the workspace of a trial."""
    return Workspace(
        files=_files_of(world),
        directories=(*world.names.directories, *world.directories),
        roots=world.layout.roots,
        names=world.names.records,
        clock=world.clock,
        security_document=world.names.pages[SECURITY],
        uploads=world.names.uploads,
        user=world.session.user,
        roles=world.session.roles,
        verification_delay=timedelta(minutes=world.policy.verification_delay_min),
        sql_is_up=world.profile.sql_is_up,
        limits=world.profile.limits,
        flat_paths_resolve=world.flat_paths_resolve,
    )


def _files_of(world: World) -> _RenderedFiles:
    """Return all files. The texts of records and pages are generated when they are first read."""
    facts = PageFacts(
        # The pages state the policy that notices override, and say that notices do so.
        policy=world.notices.stated_policy,
        names=world.names,
        history=world.origin,
        updates=world.notices.rule,
        outbox=world.outbox,
    )
    sources: dict[str, str | Callable[[], str]] = {**page_texts(facts)}
    sources.update(world.notices.files)  # pairs of a path and a text
    for record in _records_of(world):
        sources[world.path(record)] = partial(text_of_record, world, record)
    sources.update(world.files)
    return _RenderedFiles(sources)


def _records_of(world: World) -> list[Record]:
    return [
        *world.catalogue.products.values(),
        *world.stores.values(),
        *world.baskets.values(),
        *world.payments.values(),
        *world.returns.values(),
        *world.employees.values(),
    ]


def text_of_record(world: World, record: Record, **changed: Plain) -> str:
    """Return the text of a record's file. `changed` replaces fields, by the code's names."""
    data = {**record.data(), **changed}
    shown = world.names.records.in_shown_names(data)
    if world.remarks:
        shown |= world.remarks.get(world.path(record), {})
    # This gives the same text as `record_text` in a tenth of the time.
    return to_json(shown, indent=2).decode() + "\n"


class _RenderedFiles(UserDict[str, Any]):
    """Files by path. Each is a text, or a function that generates it on first access."""

    def __getitem__(self, path: str) -> str:
        source: str | Callable[[], str] = self.data[path]
        if isinstance(source, str):
            return source
        text = source()
        self.data[path] = text
        return text

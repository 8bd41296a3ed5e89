"""A generated world: the records of a shop, its files and notices, and the user who asks.

`generate` makes it from a seed. Then a family of tasks adapts it to a request: it signs a
user in, and adds the basket or the upload that the request is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.company import Policy
from controlplane.benchmarks.ecom.world.names import Layout, WorldNames, WorldProfile
from controlplane.benchmarks.ecom.world.notices import WorldNotices
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
    """Facts about the company's history, from `choose_origin`."""
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

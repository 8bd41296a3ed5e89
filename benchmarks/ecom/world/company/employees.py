"""The employees of one world's company: at each branch, one for each job title.

Their roles say what they may do: give discounts, approve refunds, keep stock. A role is a
word in an employee's record. Only some depend on the title, so an agent has to read the
record to know who may do what.
"""

from __future__ import annotations

from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.company.policy import Policy
from controlplane.benchmarks.ecom.world.data import DATA
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames
from controlplane.benchmarks.ecom.world.records import Employee, Store

TITLES: Final[list[str]] = DATA["titles"]
"""The job titles at each branch, one for each employee."""
UNUSED_EMPLOYEE_NUMBERS: Final = 29
"""Numbers of former employees, so that numbers do not show how many employees there are."""
OTHER_USUAL_ROLE: Final = ("packing", 0.4)
"""The usual role of titles without one in the data: 40 percent of these employees have it."""


def choose_employees(
    rng: Random, names: WorldNames, policy: Policy, stores: dict[str, Store]
) -> dict[str, Employee]:
    """Choose the employees: at each branch, one for each title. Return them by id.

    Their names all differ.
    """
    count = len(TITLES) * len(stores)
    highest_number = count + UNUSED_EMPLOYEE_NUMBERS
    numbers = list(range(1, highest_number + 1))
    rng.shuffle(numbers)
    people = _draw_people(rng, count)

    employees = {}
    for store in stores.values():
        for title in TITLES:
            first_name, last_name = people.pop()
            number = numbers.pop()
            employee = Employee(
                id=names.layout.id_of("emp", number),
                display_name=f"{first_name} {last_name}",
                email=f"{first_name}.{last_name}.{number}@staff.veerhaven.example".lower(),
                title=title,
                store_id=store.id,
                roles=_draw_roles(rng, title, names, policy),
            )
            employees[employee.id] = employee
    return employees


def _draw_people(rng: Random, count: int) -> list[tuple[str, str]]:
    """Return different first and last names: `[("Anna", "Berg"), ("Anna", "Smit"), ...]`."""
    full_names = []
    for first_name in DATA["first_names"]:
        for last_name in DATA["last_names"]:
            full_names.append((first_name, last_name))
    return rng.sample(full_names, count)


def _draw_roles(
    rng: Random, title: str, names: WorldNames, policy: Policy
) -> list[str]:
    """Choose the roles of an employee: the common one, usually one of the title, and others."""
    roles = ["employee"]

    # Some titles have a usual role: each Branch Manager is a lead, most Stock Clerks keep stock.
    role_of_title, share = DATA["usual_roles"].get(title, OTHER_USUAL_ROLE)
    # No number is drawn for a share of 1: it would change all later draws of a seed.
    is_certain = share == 1
    if is_certain or rng.random() < share:
        roles.append(names.roles[role_of_title])

    # These two roles are not tied to a title, so that only a record tells who has them.
    for role in (names.roles["discount"], policy.refund_role):
        if rng.random() < 0.25:
            roles.append(role)
    return roles

"""Signs a random user in to a world: a new customer, one of its employees, or anyone.

Who is signed in decides what a request may get. A user who is not signed in is a guest.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.world.records import Employee, Store
from controlplane.benchmarks.ecom.world.sessions import Session, session_of_customer
from controlplane.benchmarks.ecom.world.world import World


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
    world.session = Session(employee.id, tuple(employee.roles))
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

"""Retells a message of the public shop benchmark with the names in a task of ours.

    names = OwnNames(user="cust-0121", basket="basket-0412", store="Veerhaven Noord")
    retold("basket-0021 is at PowerTools Graz Lend", request, names)
    -> "basket-0412 is at Veerhaven Noord"

Our grader looks in the result for names, ids and numbers that the right answer must have, or must
not give away. The result need not be good English.
"""

import re

from tests.benchmarks.ecom.recorded.own_names import OwnNames
from tests.benchmarks.ecom.recorded.retold_customers import with_own_customers


def retold(message: str, request: str, names: OwnNames) -> str:
    """Return a recorded message with our own names. The message answers the request."""
    message = without_roles(message)
    message = with_own_customers(message, request, names.user)
    message = with_own_ids(message, names)
    message = with_own_stores(message, names.store, names.store_of_user)
    if names.time:
        message = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", names.time, message)
    return message


def without_roles(message: str) -> str:
    """Replace the names of roles: "You have no RoleStoreManager." -> "You have no employee."

    Our grader would object that the message gives a role away, `store_manager`. But a recorded
    message only repeats a role that its request claims to have.
    """
    message = message.replace("a store manager", "an employee")
    return re.sub(r"Role[A-Z]\w+", "employee", message)


def with_own_ids(message: str, names: OwnNames) -> str:
    """Replace the ids of records and products: "pay-0007 is open" -> "pay-0412 is open".

    If our task is about no payment, nothing takes the place of the id: " is open".
    """
    employee = names.user if names.user.startswith("emp") else ""
    message = re.sub(r"emp-\d+", employee, message)
    message = re.sub(r"(?i)basket-\d+", names.basket, message)
    message = re.sub(r"pay-\d+", names.payment, message)
    message = re.sub(r"return-\d+", names.returned, message)
    return re.sub(r"PT-[A-Z0-9-]+", names.product, message)


def with_own_stores(message: str, store: str, store_of_user: str) -> str:
    """Replace the names and ids of branches. Behind "your own", they become the user's branch.

    "It is at PowerTools Graz Lend, and your own at store-linz-sued"
    -> "It is at Veerhaven Noord, and your own at Veerhaven Haven"
    """
    public_store = (
        r"PowerTools (?:Vienna|Graz|Linz|Salzburg|Innsbruck) \w+"
        r"|store-(?:vie|graz|linz|salzburg|innsbruck)-\w+"
    )
    start_of_own = message.lower().find("your own")
    if start_of_own == -1:
        return re.sub(public_store, store, message)

    about_basket = re.sub(public_store, store, message[:start_of_own])
    about_own = re.sub(public_store, store_of_user, message[start_of_own:])
    return about_basket + about_own

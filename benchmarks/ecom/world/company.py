"""The company of one world: its policies' parameters, branches, employees and history.

Each world has another company of the same name. In one, large baskets get up to 12
percent off and a card may be verified three times; in another, up to 15 percent and twice.
The world's pages say so, and the right answers follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.world.data import DATA
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates
from controlplane.benchmarks.ecom.world.names import Layout, WorldNames
from controlplane.benchmarks.ecom.world.records import Employee, Store

BRAND: Final = "Veerhaven"
"""The company's name, in every world."""


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """How answers are written in one world."""

    yes: str
    """The word for yes: `<YES>`, `ja`, `1`."""
    no: str
    """The word for no."""
    cites_mentioned: bool
    """True if an answer cites all SKUs mentioned in its request, including excluded ones."""


ANSWER_STYLES: Final[Mapping[str, list[AnswerStyle]]] = {
    vocabulary: [AnswerStyle(**style) for style in styles]
    for vocabulary, styles in DATA["answer_styles"].items()
}
"""The possible answer styles by vocabulary.

A vocabulary is a set of names: `own` (made up here), `public` (those of the public
benchmark), or `random`.
"""


@dataclass(frozen=True, slots=True)
class DiscountLimits:
    """The highest discounts in one world, which depend on a basket's subtotal.

    For example, up to 12 percent if the subtotal is at least 120 euros, and up to 5
    percent if it is less.
    """

    threshold_cents: int
    percent_from_threshold: int
    percent_below_threshold: int

    def highest_percent(self, subtotal_cents: int) -> int:
        """Return the highest discount that a basket of this subtotal may get."""
        if subtotal_cents >= self.threshold_cents:
            return self.percent_from_threshold
        return self.percent_below_threshold


DISCOUNT_LIMITS: Final = [
    DiscountLimits(**limits) for limits in DATA["discount_limits"]
]


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one company, as far as they differ between worlds.

    Both the world's pages and the right answers are derived from them.
    """

    yes: str
    """The word for yes in answers: `<YES>`, `ja`, `1`."""
    no: str
    """The word for no in answers."""
    cites_mentioned: bool
    """True if an answer cites all SKUs mentioned in its request, including excluded ones."""
    discounts: DiscountLimits
    refund_role: str
    """The role that an employee needs to approve refunds."""
    verification_attempts: int
    """The most attempts to verify a card."""
    verification_delay_min: int
    """The minutes between two attempts."""
    rates: DispatchRates
    """The price of late packages, and the odds and lengths of delays."""
    outbox: str = ""
    """The file for requests to other systems; empty if such requests are not supported.

    Only the task that needs such a file sets it.
    """

    def word(self, is_yes: bool) -> str:
        """Return the world's word for yes or no."""
        return self.yes if is_yes else self.no


def choose_policy(rng: Random, names: WorldNames, rates: DispatchRates) -> Policy:
    """Choose the policy of one world."""
    style = rng.choice(ANSWER_STYLES[names.vocabulary])
    discounts = rng.choice(DISCOUNT_LIMITS)
    return Policy(
        yes=style.yes,
        no=style.no,
        cites_mentioned=style.cites_mentioned,
        discounts=discounts,
        refund_role=names.roles["refund"],
        verification_attempts=rng.choice((2, 3, 4)),
        verification_delay_min=rng.choice((20, 30, 45, 60)),
        rates=rates,
    )


# Branches and employees -------------------------------------------------------------------------


class District(NamedTuple):
    """A district that may have a branch, and the branch's address."""

    city: str
    name: str
    street: str
    postal_digits: str


DISTRICTS: Final = [District(**district) for district in DATA["districts"]]
DISTRICTS_WITHOUT_BRANCH: Final = 2
CLOSED_BRANCHES: Final = 3
TITLES: Final[list[str]] = DATA["titles"]
"""The job titles at each branch, one for each employee."""
UNUSED_EMPLOYEE_NUMBERS: Final = 29
"""Numbers of former employees, so that numbers do not show how many employees there are."""
OTHER_USUAL_ROLE: Final = ("packing", 0.4)
"""The usual role of titles without one in the data: 40 percent of these employees have it."""


def choose_stores(rng: Random, layout: Layout) -> dict[str, Store]:
    """Choose the branches of one world: 17 of 19 districts have one, and three are closed.

    Return them by id.
    """
    branch_count = len(DISTRICTS) - DISTRICTS_WITHOUT_BRANCH
    chosen_numbers = sorted(rng.sample(range(len(DISTRICTS)), branch_count))
    closed_numbers = set(rng.sample(chosen_numbers, CLOSED_BRANCHES))
    stores = {}
    for number in chosen_numbers:
        district = DISTRICTS[number]
        # The part of the id after `store`: `utr-lombok`.
        slug = f"{district.city[:3]}{layout.separator}{district.name}".lower()
        # The old postcode of the first branch begins with none of these (`choose_origin`).
        postal_letters = rng.choice("ABCDEFGH") + rng.choice("KLMNPRTX")
        store = Store(
            id=f"store{layout.separator}{slug}",
            name=f"{BRAND} {district.city} {district.name}",
            district=district.name,
            street=district.street,
            postal_code=f"{district.postal_digits} {postal_letters}",
            city=district.city,
            is_open=number not in closed_numbers,
        )
        stores[store.id] = store
    return stores


def nicknames(store: Store) -> tuple[str, ...]:
    """Return the names by which people call a branch. Each fits only this branch."""
    return (
        store.name,
        f"{BRAND} {store.district}",
        f"the {store.district} branch in {store.city}",
        f"the {store.district.lower()} shop",
        f"{BRAND} in {store.city}, {store.district}",
    )


def choose_employees(
    rng: Random, names: WorldNames, policy: Policy, stores: dict[str, Store]
) -> dict[str, Employee]:
    """Choose the employees: at each branch, one for each title. Return them by id.

    Their names all differ.
    """
    # 1. Draw the numbers of their ids, in any order, and their names.
    count = len(TITLES) * len(stores)
    highest_number = count + UNUSED_EMPLOYEE_NUMBERS
    numbers = list(range(1, highest_number + 1))
    rng.shuffle(numbers)
    full_names = []
    for first_name in DATA["first_names"]:
        for last_name in DATA["last_names"]:
            full_names.append((first_name, last_name))
    people = rng.sample(full_names, count)

    # 2. Give each branch its employees.
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


# History ----------------------------------------------------------------------------------------


def choose_origin(rng: Random, stores: Mapping[str, Store]) -> dict[str, str]:
    """Choose facts about the company's history, and false ones (rumours), by name.

    - `named_on` is the day on which the company got its name, `registered_on` that of its
      entry in the trade register, and `opened_on` its first day of opening. Each has a
      false date a few days away: `named_rumour`, `registered_rumour`, `opened_rumour`.
    - The first branch has moved since, so `first_address`, `STREET NUMBER, POSTCODE
      CITY`, is not the address in its record.
    - According to a rumour, `other_branch` was the first one.
    """
    # 1. The dates
    named_on = date(1994, 1, 10) + timedelta(days=rng.randrange(2000))
    registered_on = named_on + timedelta(days=rng.randint(20, 90))
    opened_on = registered_on + timedelta(days=rng.randint(5, 60))

    # 2. The branches and founders
    first, other, newest = rng.sample(list(stores.values()), 3)
    founders = rng.sample(DATA["founders"], 2)
    # The old postcode has the digits of today's, with letters that no branch has today.
    digits = first.postal_code[:-2]
    postcode = f"{digits}{rng.choice('SVWZ')}{rng.choice('ABCD')}"
    first_street = f"{rng.choice(DATA['old_streets'])} {rng.randint(1, 90)}"

    # 3. The false dates
    named_rumour = named_on + timedelta(days=rng.randint(2, 15))
    registered_rumour = registered_on - timedelta(days=rng.randint(2, 15))
    opened_rumour = opened_on - timedelta(days=9)
    return {
        "named_on": named_on.isoformat(),
        "registered_on": registered_on.isoformat(),
        "opened_on": opened_on.isoformat(),
        "first_branch": first.name,
        "first_address": f"{first_street}, {postcode} {first.city}",
        "first_postcode": postcode,
        "first_city": first.city,
        "named_rumour": named_rumour.isoformat(),
        "registered_rumour": registered_rumour.isoformat(),
        "opened_rumour": opened_rumour.isoformat(),
        "other_branch": other.name,
        "other_address": f"{other.street}, {other.postal_code} {other.city}",
        "newest_branch": newest.name,
        "founder_a": founders[0],
        "founder_b": founders[1],
        "colour": rng.choice(DATA["colours"]),
    }

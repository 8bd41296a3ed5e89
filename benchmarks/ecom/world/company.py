"""The company of one world: its policies' parameters, branches, employees and history."""

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


@dataclass(frozen=True, slots=True)
class AnswerStyle:
    """How answers are written in one world."""

    yes: str
    """The word for yes: `<YES>`, `ja`, `1`."""
    no: str
    cites_mentioned: bool
    """True if an answer cites all SKUs mentioned in its request, including excluded ones."""


ANSWER_STYLES: Final[Mapping[str, list[AnswerStyle]]] = {
    vocabulary: [AnswerStyle(**style) for style in styles]
    for vocabulary, styles in DATA["answer_styles"].items()
}
"""The possible answer styles of worlds with the vocabulary `own`, `public` or `random`."""


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
    """The parameters of one world's policies. Documents and right answers are derived from them."""

    yes: str
    no: str
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
    """The file for requests to other systems; empty if such requests are not supported."""

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


def choose_stores(rng: Random, layout: Layout) -> dict[str, Store]:
    """Choose the 17 branches of one world. Return them by id; three of them are closed."""
    branch_count = len(DISTRICTS) - DISTRICTS_WITHOUT_BRANCH
    chosen_places = sorted(rng.sample(range(len(DISTRICTS)), branch_count))
    closed_places = set(rng.sample(chosen_places, CLOSED_BRANCHES))
    stores = {}
    for place in chosen_places:
        district = DISTRICTS[place]
        # The part of the id after `store`: `utr-lombok`.
        slug = f"{district.city[:3]}{layout.separator}{district.name}".lower()
        # `choose_origin` gives the old address of the company's first branch other letters.
        postal_letters = rng.choice("ABCDEFGH") + rng.choice("KLMNPRTX")
        store = Store(
            id=f"store{layout.separator}{slug}",
            name=f"{BRAND} {district.city} {district.name}",
            district=district.name,
            street=district.street,
            postal_code=f"{district.postal_digits} {postal_letters}",
            city=district.city,
            is_open=place not in closed_places,
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
    """Choose seven employees for each branch. Return them by id; their names all differ."""
    count = len(TITLES) * len(stores)
    highest_number = count + UNUSED_EMPLOYEE_NUMBERS
    numbers = list(range(1, highest_number + 1))
    rng.shuffle(numbers)
    full_names = []
    for first_name in DATA["first_names"]:
        for last_name in DATA["last_names"]:
            full_names.append((first_name, last_name))
    people = rng.sample(full_names, count)
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
    # The title's usual role, and the share of people with this title who have it. 40 percent
    # of those with any other title pack.
    role_of_title, share = DATA["powers"].get(title, ("packing", 0.4))
    roles = ["employee"]
    # No number is drawn for a share of 1: it would change all later draws of a seed.
    is_certain = share == 1
    if is_certain or rng.random() < share:
        roles.append(names.roles[role_of_title])
    for role in (names.roles["discount"], policy.refund_role):
        if rng.random() < 0.25:
            roles.append(role)
    return roles


# History ----------------------------------------------------------------------------------------


def choose_origin(rng: Random, stores: Mapping[str, Store]) -> dict[str, str]:
    """Choose facts about the company's history, and false ones (rumours), by name.

    - Each date has a false one: `named_on` and `named_rumour`, `registered_on` and
      `registered_rumour`, `opened_on` and `rumour`. All are ISO dates.
    - The first branch has moved since, so `first_address`, `STREET NUMBER, POSTCODE
      CITY`, is not the address in its record.
    - According to a rumour, `other_branch` was the first one.
    """
    named_on = date(1994, 1, 10) + timedelta(days=rng.randrange(2000))
    registered_on = named_on + timedelta(days=rng.randint(20, 90))
    opened_on = registered_on + timedelta(days=rng.randint(5, 60))
    first, other, newest = rng.sample(list(stores.values()), 3)
    founders = rng.sample(DATA["founders"], 2)
    # The digits of the branch's postcode, with letters that no branch has today
    postcode = f"{first.postal_code[:-2]}{rng.choice('SVWZ')}{rng.choice('ABCD')}"
    first_street = f"{rng.choice(DATA['old_streets'])} {rng.randint(1, 90)}"
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
        "rumour": opened_rumour.isoformat(),
        "other_branch": other.name,
        "other_address": f"{other.street}, {other.postal_code} {other.city}",
        "newest_branch": newest.name,
        "founder_a": founders[0],
        "founder_b": founders[1],
        "colour": rng.choice(DATA["colours"]),
    }

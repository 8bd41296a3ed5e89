"""The company in one world: the parameters of its policies, its branches, people and origins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.world.data import DATA
from controlplane.benchmarks.ecom.world.names import Layout, WorldNames
from controlplane.benchmarks.ecom.world.records import Employee, Store

BRAND: Final = "Veerhaven"
TITLES: Final[list[str]] = DATA["titles"]
"""The titles of the staff of a branch, one for each person."""


class District(NamedTuple):
    """A district in which there may be a branch, with the branch's address."""

    city: str
    name: str
    street: str
    postal_digits: str


class AnswerStyle(NamedTuple):
    """How answers are given in one world."""

    yes: str
    no: str
    cites_mentioned: bool
    """True if an answer cites the SKUs that its request mentions, excluded ones too."""


class DiscountTier(NamedTuple):
    """How high a discount may be: above and below a subtotal."""

    threshold_cents: int
    high_percent: int
    low_percent: int


DISTRICTS: Final = [District(*fields) for fields in DATA["districts"]]
ANSWER_STYLES: Final[Mapping[str, list[AnswerStyle]]] = {
    vocabulary: [AnswerStyle(*fields) for fields in styles]
    for vocabulary, styles in DATA["yes_no"].items()
}
"""The styles that worlds of each vocabulary have."""
DISCOUNT_TIERS: Final = [DiscountTier(*fields) for fields in DATA["tiers"]]


@dataclass(frozen=True, slots=True)
class DispatchRates:
    """What the words of delay hints mean in one world, and what late and missed packages cost."""

    frequency: Mapping[str, float]
    """Delayed trips in 100, by `unlikely`, `often` or `likely`."""
    length: Mapping[str, tuple[int, int]]
    """The shortest and longest delay in time units, by `short`, `medium` or `long`.

    All lengths between are equally likely.
    """
    late_cents: int
    """The cost of one time unit behind the due time of a package."""
    missed_cents: int
    """The cost of a package that never arrives."""


def choose_rates(rng: Random) -> DispatchRates:
    """Return the rates of one world."""
    shortest_medium = rng.randint(2, 3)
    frequency = {
        "unlikely": rng.randint(5, 13),
        "often": rng.randint(17, 28),
        "likely": rng.randint(31, 45),
    }
    length = {
        "short": (1, rng.randint(2, 3)),
        "medium": (shortest_medium, shortest_medium + rng.randint(1, 3)),
        "long": (rng.randint(5, 6), rng.randint(7, 9)),
    }
    late_cents = 10 * rng.randint(45, 90)
    missed_cents = 100 * rng.randint(40, 80)
    return DispatchRates(frequency, length, late_cents, missed_cents)


@dataclass(frozen=True, slots=True)
class Policy:
    """The parameters of one world's policies, from which documents and truths are derived."""

    yes: str
    no: str
    cites_mentioned: bool
    """True if an answer cites the SKUs that its request mentions, excluded ones too."""
    threshold_cents: int
    """A basket with at least this subtotal may get `high_percent`, any other `low_percent`."""
    high_percent: int
    low_percent: int
    refund_role: str
    verification_attempts: int
    verification_delay_min: int
    rates: DispatchRates
    outbox: str = ""
    """The file into which requests for other systems go; without one they are not supported."""

    def word(self, is_yes: bool) -> str:
        """Return the world's word for yes or no."""
        return self.yes if is_yes else self.no

    def maximum_percent(self, subtotal_cents: int) -> int:
        """Return the highest discount that a basket of this subtotal may get."""
        if subtotal_cents >= self.threshold_cents:
            return self.high_percent
        return self.low_percent


def choose_policy(rng: Random, names: WorldNames, rates: DispatchRates) -> Policy:
    """Return the policy of one world, in its names and with its rates."""
    style = rng.choice(ANSWER_STYLES[names.vocabulary])
    tier = rng.choice(DISCOUNT_TIERS)
    return Policy(
        yes=style.yes,
        no=style.no,
        cites_mentioned=style.cites_mentioned,
        threshold_cents=tier.threshold_cents,
        high_percent=tier.high_percent,
        low_percent=tier.low_percent,
        refund_role=names.roles["refund"],
        verification_attempts=rng.choice((2, 3, 4)),
        verification_delay_min=rng.choice((20, 30, 45, 60)),
        rates=rates,
    )


def choose_stores(rng: Random, layout: Layout) -> dict[str, Store]:
    """Return the 17 branches of one world by id, three of them closed."""
    chosen = sorted(rng.sample(range(len(DISTRICTS)), len(DISTRICTS) - 2))
    closed = set(rng.sample(chosen, 3))
    stores = {}
    for index in chosen:
        district = DISTRICTS[index]
        slug = f"{district.city[:3]}{layout.separator}{district.name}".lower()
        postal_letters = rng.choice("ABCDEFGH") + rng.choice("KLMNPRTX")
        store = Store(
            id=f"store{layout.separator}{slug}",
            name=f"{BRAND} {district.city} {district.name}",
            district=district.name,
            street=district.street,
            postal_code=f"{district.postal_digits} {postal_letters}",
            city=district.city,
            is_open=index not in closed,
        )
        stores[store.id] = store
    return stores


def nicknames(store: Store) -> tuple[str, ...]:
    """Return the nicknames of a branch, each of which fits only this branch."""
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
    """Return seven employees per branch by id, all with different names."""
    count = len(TITLES) * len(stores)
    numbers = list(range(1, count + 30))
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


def _draw_roles(rng: Random, title: str, names: WorldNames, policy: Policy) -> list[str]:
    """Return the roles of an employee: that of everybody, mostly one of the title, and others."""
    # By title, the role that comes with it, and the share of people who have that role.
    role_of_title, share = DATA["powers"].get(title, ("packing", 0.4))
    roles = ["employee"]
    if share == 1 or rng.random() < share:
        roles.append(names.roles[role_of_title])
    for role in (names.roles["discount"], policy.refund_role):
        if rng.random() < 0.25:
            roles.append(role)
    return roles


def choose_origin(rng: Random, stores: Mapping[str, Store]) -> dict[str, str]:
    """Return the facts of the company's origins by name, and the false ones of stories.

    Dates are ISO dates. A `rumour` contradicts a date, and `other_branch` is taken for the first.
    The first address, `STREET NUMBER, POSTCODE CITY`, is not that of the branch's record, because
    the branch has moved.
    """
    named_on = date(1994, 1, 10) + timedelta(days=rng.randrange(2000))
    registered_on = named_on + timedelta(days=rng.randint(20, 90))
    opened_on = registered_on + timedelta(days=rng.randint(5, 60))
    first, other, newest = rng.sample(list(stores.values()), 3)
    founders = rng.sample(DATA["founders"], 2)
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

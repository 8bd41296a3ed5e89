"""The company of a world: its branches, its rates and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.world.names import DATA, Layout, WorldNames
from controlplane.benchmarks.ecom.world.records import Store
from controlplane.benchmarks.shop.dispatch import DelayLength, Rates
from controlplane.benchmarks.shop.texts import amount_text

# The costs of late and missed packages in one world, and how often and how long trips are delayed.
#
# A page states them, because plans for packages that branches send to each other depend on
# them: in one world 8 percent of trips are delayed, in another 15.


@dataclass(frozen=True, slots=True)
class DispatchRates:
    """The meaning of delay hints in one world, and the costs of late and missed packages.

    A lane (a road between two places) has a hint such as "delays often; short when
    delayed". A page of the world says what its words mean.
    """

    delayed_percent: Mapping[str, float]
    """How many of 100 trips are delayed: `{"unlikely": 8, "often": 20, "likely": 40}`."""
    delay_units: Mapping[str, tuple[int, int]]
    """The shortest and the longest delay: `{"short": (1, 2), "medium": (2, 4), "long": (5, 8)}`.

    They are in time units. All delays between the two are equally likely.
    """
    late_cents: int
    """The cost of each time unit by which a package is late."""
    missed_cents: int
    """The cost of a package that never arrives."""

    def chances(self, hint: str) -> Mapping[int, float]:
        """Return the probability of each delay for a hint such as "delays often; short when delayed".

        If `often` is 20 percent, and `short` 1 to 2 units: `{0: 0.8, 1: 0.1, 2: 0.1}`.
        """
        rates = Rates(
            {word: percent / 100 for word, percent in self.delayed_percent.items()},
            {word: DelayLength(*units) for word, units in self.delay_units.items()},
        )
        return rates.chances(hint) or {}

    def table(self) -> str:
        """Return the rates as the table of a page:

        | word | rate |
        | --- | --- |
        | often | 21 % of trips |
        | short | 1 to 2 time units |
        | late | EUR 4.40 per time unit |
        """
        rows = [("word", "rate"), ("---", "---")]
        for word, percent in self.delayed_percent.items():
            rows.append((word, f"{percent} % of trips"))
        for word, (shortest, longest) in self.delay_units.items():
            rows.append((word, f"{shortest} to {longest} time units"))
        rows.append(("late", f"{amount_text(self.late_cents)} per time unit"))
        rows.append(("missed", f"{amount_text(self.missed_cents)} per package"))
        return "\n".join(f"| {word} | {rate} |" for word, rate in rows)


def choose_rates(rng: Random) -> DispatchRates:
    """Choose the rates of one world."""
    shortest_medium = rng.randint(2, 3)
    delayed_percent = {
        "unlikely": rng.randint(5, 13),
        "often": rng.randint(17, 28),
        "likely": rng.randint(31, 45),
    }
    delay_units = {
        "short": (1, rng.randint(2, 3)),
        "medium": (shortest_medium, shortest_medium + rng.randint(1, 3)),
        "long": (rng.randint(5, 6), rng.randint(7, 9)),
    }
    late_cents = 10 * rng.randint(45, 90)
    missed_cents = 100 * rng.randint(40, 80)
    return DispatchRates(delayed_percent, delay_units, late_cents, missed_cents)


# The company of one world: its rules, branches, employees and history.

# How answers are written in one world: `<YES>` in one, `ja` in another.
#
# A page of the world says so. The tasks' right answers are written in the same way.


@dataclass(frozen=True, slots=True)
class _AnswerStyle:
    """How answers are written in one world."""

    yes: str
    """The word for yes: `<YES>`, `ja`, `1`."""
    no: str
    """The word for no."""
    cites_mentioned: bool
    """True if an answer cites all SKUs mentioned in its request, including excluded ones.

    An answer to "a tarp, not the green one" then cites the green one, too.
    """

    def word(self, is_yes: bool) -> str:
        """Return the word for yes or no."""
        return self.yes if is_yes else self.no


_ANSWER_STYLES: Final[Mapping[str, list[_AnswerStyle]]] = {
    vocabulary: [_AnswerStyle(**style) for style in styles]
    for vocabulary, styles in DATA["answer_styles"].items()
}
"""The possible answer styles by vocabulary.

A vocabulary is a set of names: `own` (made up here), `public` (those of the public
benchmark), or `random`.
"""


# The highest discounts that a world's company gives, which depend on a basket's subtotal.
#
# In one world, a basket of at least 120 euros may get up to 12 percent off, and any other up to 5
# percent. Another world has other numbers.


@dataclass(frozen=True, slots=True)
class DiscountLimits:
    """The highest discounts in one world, for large and for small baskets."""

    threshold_cents: int
    """The least subtotal of a large basket: 12,000."""
    percent_from_threshold: int
    """The highest discount on a large basket: 12."""
    percent_below_threshold: int
    """The highest discount on a small basket: 5."""

    def highest_percent(self, subtotal_cents: int) -> int:
        """Return the highest discount that a basket of this subtotal may get."""
        if subtotal_cents >= self.threshold_cents:
            return self.percent_from_threshold
        return self.percent_below_threshold


DISCOUNT_LIMITS: Final = [
    DiscountLimits(**limits) for limits in DATA["discount_limits"]
]
"""The limits that a world may have."""


# The branches of one world's company, each in a district of a Dutch city.
#
# A branch is a `Store` in the records: `store-utr-lombok`, named "Veerhaven Utrecht Lombok". People
# call it by other names as well, such as "the lombok shop". Most districts have a branch, and
# a few branches are closed today.

BRAND: Final = "Veerhaven"
"""The company's name, in every world."""


class _District(NamedTuple):
    """A district that may have a branch, and the branch's address."""

    city: str
    name: str
    street: str
    postal_digits: str


_DISTRICTS: Final = [_District(**district) for district in DATA["districts"]]
_DISTRICTS_WITHOUT_BRANCH: Final = 2
_CLOSED_BRANCHES: Final = 3


def choose_stores(rng: Random, layout: Layout) -> dict[str, Store]:
    """Choose the branches of one world: 17 of 19 districts have one, and three are closed.

    Return them by id.
    """
    branch_count = len(_DISTRICTS) - _DISTRICTS_WITHOUT_BRANCH
    chosen_numbers = sorted(rng.sample(range(len(_DISTRICTS)), branch_count))
    closed_numbers = set(rng.sample(chosen_numbers, _CLOSED_BRANCHES))
    stores = {}
    for number in chosen_numbers:
        district = _DISTRICTS[number]
        # The part of the id after `store`: `utr-lombok`.
        slug = f"{district.city[:3]}{layout.separator}{district.name}".lower()
        # The old postcode of the first branch begins with none of these (`_choose_origin`).
        postal_letters = rng.choice("ABCDEFGH") + rng.choice("KLMNPRTX")
        store = Store(
            id=f"store{layout.separator}{slug}",
            name=f"{BRAND} {district.city} {district.name}",
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


# The rules of one world's company, as far as they differ between worlds.
#
# In one world, large baskets get up to 12 percent off and a card may be verified three times;
# in another, up to 15 percent and twice. The world's pages say so, and the right answers
# follow from it.


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one company, as far as they differ between worlds.

    Both the world's pages and the right answers are derived from them.
    """

    answers: _AnswerStyle
    """How answers are written."""
    discounts: DiscountLimits
    refund_role: str
    """The role that an employee needs to approve refunds."""
    verification_attempts: int
    """The most attempts to verify a card."""
    verification_delay_min: int
    """The minutes between two attempts."""
    rates: DispatchRates
    """The price of late packages, and the odds and lengths of delays."""


def choose_policy(rng: Random, names: WorldNames, rates: DispatchRates) -> Policy:
    """Choose the policy of one world."""
    return Policy(
        answers=rng.choice(_ANSWER_STYLES[names.vocabulary]),
        discounts=rng.choice(DISCOUNT_LIMITS),
        refund_role=names.roles["refund"],
        verification_attempts=rng.choice((2, 3, 4)),
        verification_delay_min=rng.choice((20, 30, 45, 60)),
        rates=rates,
    )

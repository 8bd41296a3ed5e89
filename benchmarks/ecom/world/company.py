"""The company in one world: its records, how it names things, its policies' parameters, branches, people, and origins.

Names of paths, documents, fields, states, verbs and words are drawn apart from the content: a seed gives the same shop
under every vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, ClassVar, Final

from controlplane.benchmarks.ecom.workspace import RecordNames, Roots
from controlplane.sandbox.interface import Plain

ACTIVE = "active"
CHECKED_OUT = "checked_out"
ABANDONED = "abandoned"


@dataclass(slots=True)
class ShopRecord:
    """A record or a part of one. A file shows its fields in order, except the `hidden` one and fields that are None."""

    hidden: ClassVar[str] = ""

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        found: dict[str, Plain] = {}
        for name in map(str, self.__slots__):
            value = getattr(self, name)
            if value is not None and name != self.hidden:
                found[name] = value.data() if isinstance(value, ShopRecord) else value
        return found


@dataclass(slots=True)
class Product(ShopRecord):
    """One article."""

    id: int
    sku: str
    name: str
    brand: str
    category_id: str
    kind_id: str
    family_id: str
    price_cents: int
    fulfilment: str
    """`shelf` or `download`."""
    properties: dict[str, str | float | bool]

    @property
    def is_digital(self) -> bool:
        """True if the article does not need stock."""
        return self.fulfilment == "download"


@dataclass(slots=True)
class Stock:
    """The stock of one SKU at one branch. `incoming` lists (quantity, days until arrival)."""

    on_hand: int
    reserved: int
    incoming: list[tuple[int, int]] = field(default_factory=list)

    @property
    def available(self) -> int:
        """The units that can be sold today."""
        return max(self.on_hand - self.reserved, 0)

    def within(self, days: int) -> int:
        """Return the units that can be sold once everything due within `days` has arrived."""
        return self.available + sum(quantity for quantity, due in self.incoming if due <= days)


@dataclass(slots=True)
class Store(ShopRecord):
    """One branch, with its stock by SKU."""

    hidden = "district"

    id: str
    name: str
    district: str
    street: str
    postal_code: str
    city: str
    country_code: str = field(default="NL", init=False)
    is_open: bool
    inventory: dict[str, Stock] = field(default_factory=dict)

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        rows: list[Plain] = []
        for sku, stock in self.inventory.items():
            row: dict[str, Plain] = {
                "sku": sku,
                "on_hand": stock.on_hand,
                "reserved": stock.reserved,
            }
            if stock.incoming:
                row["incoming"] = [
                    {"quantity": quantity, "arrives_in_days": due}
                    for quantity, due in stock.incoming
                ]
            rows.append(row)
        return {**ShopRecord.data(self), "inventory": rows}


@dataclass(slots=True)
class Discount(ShopRecord):
    """The discount on a basket."""

    percent: int
    reason_code: str
    issuer_id: str


@dataclass(slots=True)
class Basket(ShopRecord):
    """A customer's basket at one branch; `lines` maps SKU to quantity, in order."""

    id: str
    customer_id: str
    store_id: str
    status: str
    created_at: str
    discount: Discount | None = field(default=None, kw_only=True)
    lines: dict[str, int]

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        lines: list[Plain] = [
            {"sku": sku, "quantity": quantity} for sku, quantity in self.lines.items()
        ]
        return {**ShopRecord.data(self), "lines": lines}


@dataclass(slots=True)
class Verification(ShopRecord):
    """The card verification of a payment; `retry_after` is an instant in UTC."""

    state: str
    attempts: int
    max_attempts: int
    retry_after: str


@dataclass(slots=True)
class Payment(ShopRecord):
    """A payment for a checked-out basket."""

    id: str
    basket_id: str
    customer_id: str
    store_id: str
    amount_cents: int
    currency: str = field(default="EUR", init=False)
    status: str
    created_at: str
    verification: Verification | None = None


@dataclass(slots=True)
class Return(ShopRecord):
    """A request to return the goods of one payment."""

    id: str
    customer_id: str
    payment_id: str
    status: str
    reason_code: str
    created_at: str


@dataclass(slots=True)
class Employee(ShopRecord):
    """A member of staff at one branch."""

    id: str
    display_name: str
    email: str
    title: str
    store_id: str
    roles: list[str]


Record = Product | Store | Basket | Payment | Return | Employee


OWN, PUBLIC, RANDOM, MIXED = "own", "public", "random", "mixed"
VOCABULARIES: Final = (OWN, PUBLIC, RANDOM)
KINDS: Final[tuple[type[Record], ...]] = (Product, Store, Basket, Payment, Return, Employee)
"""The kinds of records, in the order of `Roots`."""
SEPARATORS: Final = ("-", "_")
WIDTHS: Final = (3, 4)


def _root(template: str) -> str:
    return template[: template.index("/{")]


@dataclass(frozen=True, slots=True)
class Layout:
    """One choice of record paths and id formats."""

    paths: Mapping[type[Record], str]
    separator: str
    width: int
    prefixes: Mapping[str, str]
    """The prefix of the ids of each kind of record, by the usual one: `cust basket pay return emp`."""

    def id_of(self, prefix: str, number: int) -> str:
        """Return an id such as `basket-0042`, by the usual prefix of its kind."""
        return f"{self.prefixes.get(prefix, prefix)}{self.separator}{number:0{self.width}d}"

    def path_of(self, record: Record) -> str:
        """Return the path of the record, as listings show it."""
        return self.paths[type(record)].format(record)

    @property
    def roots(self) -> Roots:
        """The directory of each kind of record."""
        return Roots(*map(_root, self.paths.values()))


def choose_layout(rng: Random, vocabulary: str = OWN) -> Layout:
    """Return a layout of a vocabulary (`own`, `public`, `random`), with a path of its own for each kind of record."""
    pools = read_data("vocabulary/names.json")

    def drawn(kind: type[Record]) -> str:
        template: str = rng.choice(
            pools["paths"][PUBLIC if vocabulary == PUBLIC else OWN][kind.__name__]
        )
        if vocabulary != RANDOM:
            return template
        return f"/proc/{rng.choice(pools['root_words'][kind.__name__])}{template.removeprefix(_root(template))}"

    paths = {kind: drawn(kind) for kind in KINDS}
    if vocabulary == PUBLIC:
        return Layout(paths, "-", 4, {})
    return Layout(
        paths=paths,
        separator=rng.choice(SEPARATORS),
        width=rng.choice(WIDTHS),
        prefixes={usual: rng.choice(names) for usual, names in pools["prefixes"].items()},
    )


@dataclass(frozen=True, slots=True)
class WorldNames:
    """The names of one world. The code uses the keys; all names that a trial sees come from this class."""

    vocabulary: str
    """`own`, `public` (the names of the public benchmark) or `random`."""
    layout: Layout
    documents: Mapping[str, str]
    """The path of each document by its key in the code."""
    records: RecordNames
    roles: Mapping[str, str]
    """The role names by power: `discount refund lead stock packing desk viewer`."""
    reason_codes: tuple[str, ...]
    """The three reasons that a discount may have."""
    return_reasons: tuple[str, ...]
    upload_path: str
    """The template of an uploaded file's path, with `kind` and `token`."""
    notices: str
    """The directory of notices that override pages, in worlds that have some."""
    decoys: tuple[str, str]
    """The directories of an expired page and of a rumour, in worlds that have them."""
    wording: str
    """The seed from which each document draws its wording and order."""
    wordings: str
    """`known` or `unseen` if only one half of all wordings is used."""

    def field(self, name: str, *, within: str = "") -> str:
        """Return the shown name of a record's field."""
        return self.records.field(name, within=within)

    def state(self, value: str, *, of: str = "status") -> str:
        """Return the shown word of a state."""
        return str(self.records.state(value, of=of))

    @property
    def uploads(self) -> str:
        """The directory of uploaded files."""
        return "/" + self.upload_path.split("/")[1]

    @property
    def directories(self) -> tuple[str, ...]:
        """The directories that every world has; public worlds have only those that their task needs."""
        return () if self.vocabulary == PUBLIC else (self.uploads, "/exports", "/tmp")

    def upload(self, kind: str, token: str) -> str:
        """Return the path of an uploaded file of a kind such as `receipt`."""
        return self.upload_path.format(kind=kind, token=token)


@cache
def read_data(name: str) -> Mapping[str, Any]:
    """Return the content of a JSON file of this package."""
    data: Mapping[str, Any] = json.loads((files(__package__) / name).read_text("utf-8"))
    return data


def _one(rng: Random, pool: Sequence[Any], vocabulary: str) -> Any:
    """Return the first of a pool for `own`, the second for `public`, else one of the rest."""
    return (
        pool[0] if vocabulary == OWN else pool[1] if vocabulary == PUBLIC else rng.choice(pool[2:])
    )


def choose_names(rng: Random, vocabulary: str, wordings: str) -> WorldNames:
    """Return the names of one world; `mixed` draws one of the vocabularies, `wordings` limits those to a half."""
    if vocabulary == MIXED:
        vocabulary = rng.choice(VOCABULARIES)
    pools = read_data("vocabulary/names.json")

    def drawn(part: str) -> dict[str, Any]:
        return {key: _one(rng, pool, vocabulary) for key, pool in pools[part].items()}

    records = RecordNames(
        fields=drawn("fields"),
        states={
            of: {value: _one(rng, pool, vocabulary) for value, pool in values.items()}
            for of, values in pools["states"].items()
        },
        verbs=drawn("verbs"),
        tables=drawn("tables"),
        columns={key: name for key, name in drawn("columns").items() if name},
        printed=drawn("printed"),
        outage=_one(rng, pools["outage"], vocabulary),
    )
    return WorldNames(
        vocabulary=vocabulary,
        layout=choose_layout(rng, vocabulary),
        documents=drawn("documents"),
        records=records,
        roles={power: rng.choice(names) for power, names in drawn("roles").items()},
        reason_codes=tuple(sorted(rng.sample(_one(rng, pools["reason_codes"], vocabulary), 3))),
        return_reasons=tuple(_one(rng, pools["return_reasons"], vocabulary)),
        upload_path=rng.choice(pools["uploads"][vocabulary]),
        notices=_one(rng, pools["notices"], vocabulary),
        decoys=tuple(_one(rng, pools["decoys"], vocabulary)),
        wording=f"{rng.getrandbits(48):012x}",
        wordings=wordings,
    )


BRAND: Final = "Veerhaven"
DATA: Final = read_data("company.json")
DISTRICTS: Final[list[list[str]]] = DATA["districts"]
"""City, district, street and postal code of every possible branch."""
TITLES: Final[list[str]] = DATA["titles"]
YES_NO: Final[Mapping[str, list[tuple[str, str, bool]]]] = DATA["yes_no"]
"""By vocabulary: the words for yes and no, and true if the catalogue document asks for the mentioned SKUs."""
TIERS: Final[list[tuple[int, int, int]]] = DATA["tiers"]
"""Thresholds in cents, with the highest percentages from each on and below it."""

SAID: Final[Mapping[str, list[str]]] = DATA["said"]
"""Words, by what they say was done or stands against it: one of them, or the recorded value, is in a message."""


@dataclass(frozen=True, slots=True)
class DispatchRates:
    """What the words of delay hints mean in one world, and what late and missed packages cost there."""

    frequency: Mapping[str, float]
    """Delayed trips in 100, by `unlikely`, `often` or `likely`."""
    length: Mapping[str, tuple[int, int]]
    """The shortest and longest delay in time units, by `short`, `medium` or `long`; all between are equally likely."""
    late_cents: int
    """The cost of one time unit behind the due time of a package."""
    missed_cents: int
    """The cost of a package that never arrives."""


def choose_rates(rng: Random) -> DispatchRates:
    """Return the rates of one world."""
    medium = rng.randint(2, 3)
    return DispatchRates(
        {
            "unlikely": rng.randint(5, 13),
            "often": rng.randint(17, 28),
            "likely": rng.randint(31, 45),
        },
        {
            "short": (1, rng.randint(2, 3)),
            "medium": (medium, medium + rng.randint(1, 3)),
            "long": (rng.randint(5, 6), rng.randint(7, 9)),
        },
        10 * rng.randint(45, 90),
        100 * rng.randint(40, 80),
    )


@dataclass(frozen=True, slots=True)
class Policy:
    """The parameters of one world's policies, from which documents and truths are derived."""

    yes: str
    no: str
    cites_mentioned: bool
    """True if an answer cites the SKUs that its request mentions, excluded ones too."""
    threshold_cents: int
    """A basket with at least this subtotal may get `high_percent`."""
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
        return self.high_percent if subtotal_cents >= self.threshold_cents else self.low_percent


def choose_policy(rng: Random, names: WorldNames, rates: DispatchRates) -> Policy:
    """Return the policy of one world, in its names and with its rates."""
    yes, no, cites_mentioned = rng.choice(YES_NO[names.vocabulary])
    threshold, high, low = rng.choice(TIERS)
    return Policy(
        yes=yes,
        no=no,
        cites_mentioned=cites_mentioned,
        threshold_cents=threshold,
        high_percent=high,
        low_percent=low,
        refund_role=names.roles["refund"],
        verification_attempts=rng.choice((2, 3, 4)),
        verification_delay_min=rng.choice((20, 30, 45, 60)),
        rates=rates,
    )


def choose_stores(rng: Random, layout: Layout) -> dict[str, Store]:
    """Return the 17 branches of one world by id, three of them closed."""
    kept = sorted(rng.sample(range(len(DISTRICTS)), len(DISTRICTS) - 2))
    closed = set(rng.sample(kept, 3))
    stores = {}
    for index in kept:
        city, district, street, postal = DISTRICTS[index]
        slug = f"{city[:3]}{layout.separator}{district}".lower()
        store = Store(
            id=f"store{layout.separator}{slug}",
            name=f"{BRAND} {city} {district}",
            district=district,
            street=street,
            postal_code=f"{postal} {rng.choice('ABCDEFGH')}{rng.choice('KLMNPRTX')}",
            city=city,
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


def _roles(title: str, names: WorldNames, policy: Policy, rng: Random) -> list[str]:
    power, share = DATA["powers"].get(title, ("packing", 0.4))
    drawn = [names.roles[power]] if share == 1 or rng.random() < share else []
    more = [role for role in (names.roles["discount"], policy.refund_role) if rng.random() < 0.25]
    return ["employee", *drawn, *more]


def choose_employees(
    rng: Random, names: WorldNames, policy: Policy, stores: dict[str, Store]
) -> dict[str, Employee]:
    """Return seven employees per branch by id, all with different names."""
    numbers = list(range(1, len(TITLES) * len(stores) + 30))
    rng.shuffle(numbers)
    people = rng.sample(
        [(first, last) for first in DATA["first_names"] for last in DATA["last_names"]],
        len(TITLES) * len(stores),
    )
    employees = {}
    for store in stores.values():
        for title in TITLES:
            first, last = people.pop()
            number = numbers.pop()
            employee = Employee(
                id=names.layout.id_of("emp", number),
                display_name=f"{first} {last}",
                email=f"{first}.{last}.{number}@staff.veerhaven.example".lower(),
                title=title,
                store_id=store.id,
                roles=_roles(title, names, policy, rng),
            )
            employees[employee.id] = employee
    return employees


def choose_origin(rng: Random, stores: Mapping[str, Store]) -> dict[str, str]:
    """Return the origins of one world by name: recorded ISO dates, names and addresses, and the false ones of stories.

    A `rumour` contradicts a date, and `other_branch` is taken for the first. The first address, `STREET NUMBER,
    POSTCODE CITY`, is not that of the branch's record, because the branch has moved.
    """
    named = date(1994, 1, 10) + timedelta(days=rng.randrange(2000))
    registered = named + timedelta(days=rng.randint(20, 90))
    opened = registered + timedelta(days=rng.randint(5, 60))
    first, other, newest = rng.sample(list(stores.values()), 3)
    founders = rng.sample(DATA["founders"], 2)
    postcode = f"{first.postal_code[:-2]}{rng.choice('SVWZ')}{rng.choice('ABCD')}"
    return {
        "named_on": named.isoformat(),
        "registered_on": registered.isoformat(),
        "opened_on": opened.isoformat(),
        "first_branch": first.name,
        "first_address": f"{rng.choice(DATA['old_streets'])} {rng.randint(1, 90)}, {postcode} {first.city}",
        "first_postcode": postcode,
        "first_city": first.city,
        "named_rumour": (named + timedelta(days=rng.randint(2, 15))).isoformat(),
        "registered_rumour": (registered - timedelta(days=rng.randint(2, 15))).isoformat(),
        "rumour": (opened - timedelta(days=9)).isoformat(),
        "other_branch": other.name,
        "other_address": f"{other.street}, {other.postal_code} {other.city}",
        "newest_branch": newest.name,
        "founder_a": founders[0],
        "founder_b": founders[1],
        "colour": rng.choice(DATA["colours"]),
    }

"""Generates a world from a seed, with its documents and requests, and turns it into the workspace of a trial.

All texts exist in two halves, `known` and `unseen`; no player and no check is written for the second half. A file of
`pages/` has a line of titles, then clauses: `@ name`, perhaps `first` or `last`, and a line `= wording` for each
wording. A wording refers to names and values as `$group.name`. The files of `wordings/` have the same form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache, partial
from importlib.resources import files
from random import Random
from typing import Final

from pydantic_core import to_json

from controlplane.benchmarks.ecom.workspace import CallLimits, RenderedFiles, Workspace
from controlplane.benchmarks.ecom.world import company
from controlplane.benchmarks.ecom.world.catalogue import Catalogue, choose_catalogue
from controlplane.benchmarks.ecom.world.company import (
    ABANDONED,
    ACTIVE,
    BRAND,
    CHECKED_OUT,
    MIXED,
    TIERS,
    Basket,
    DispatchRates,
    Employee,
    Layout,
    Payment,
    Policy,
    Product,
    Record,
    Return,
    Stock,
    Store,
    Verification,
    WorldNames,
    choose_names,
)
from controlplane.sandbox.interface import Plain

KNOWN, UNSEEN = "known", "unseen"
RULES: Final = "rules"
SECURITY: Final = "security"
CHECKOUT: Final = "checkout"
CATALOGUE: Final = "catalogue"
DISCOUNTS: Final = "discounts"
VERIFICATION: Final = "verification"
RETURNS: Final = "returns"
DISPATCH: Final = "dispatch"
CROSSLIST: Final = "crosslist"
ORIGINS: Final = "origins"
"""The keys of the documents that code refers to; `WorldNames.documents` returns the path of one."""

NAME: Final = re.compile(r"\$([a-z_]+(?:\.[a-z_]+)*)")
"""A name in a wording."""
WIDTH: Final = 110


@dataclass(frozen=True, slots=True)
class Wordings:
    """The wordings of one statement: `known` ones, for which rules may be written, and held-out `unseen` ones."""

    known: tuple[str, ...]
    unseen: tuple[str, ...]

    def of(self, half: str) -> tuple[str, ...]:
        """Return one half, or all if `half` is neither `known` nor `unseen`."""
        return (
            self.known
            if half == KNOWN
            else self.unseen
            if half == UNSEEN
            else (*self.known, *self.unseen)
        )


STYLES: Final = Wordings(
    ("- {}", "* {}", "{number}. {}", "{}", "## {title}\n\n{}"),
    ("{number}) {}", "**{title}.** {}", "### {number}. {title}\n\n{}"),
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement of a document, in several wordings."""

    name: str
    place: str
    """`first`, `last`, or empty for any place."""
    wordings: Wordings


@dataclass(frozen=True, slots=True)
class Page:
    """A document in all its wordings."""

    titles: Wordings
    clauses: tuple[Clause, ...]


@cache
def page(key: str) -> Page:
    """Return the document of a key. Raises `ValueError` if its two files do not have the same clauses."""
    titles, clauses = _both(f"pages/{key}.txt", f"pages/unseen/{key}.txt")
    named = [(*title.partition(" "), said) for title, said in clauses.items()]
    heads = (tuple(head.removeprefix("# ").split(" | ")) for head in titles)
    return Page(
        Wordings(*heads), tuple(Clause(name, place, said) for name, _, place, said in named)
    )


@cache
def wordings() -> Mapping[str, Wordings]:
    """Return the wordings of requests, notices and hostile blocks, by name. They are templates of `str.format`."""
    return _both("wordings/known.txt", "wordings/unseen.txt")[1]


def _both(known: str, unseen: str) -> tuple[tuple[str, str], dict[str, Wordings]]:
    (head, left), (other_head, right) = _read(known), _read(unseen)
    if left.keys() != right.keys():
        msg = f"the clauses of {known} and {unseen} differ: {left.keys() ^ right.keys()}"
        raise ValueError(msg)
    return (head, other_head), {name: Wordings(left[name], right[name]) for name in left}


def _read(path: str) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Return the first line of a file, and the wordings of its clauses by name and place."""
    head, *parts = f"\n{(files(__package__) / path).read_text('utf-8')}".split("\n@ ")
    clauses = {}
    for part in parts:
        title, *lines = part.rstrip("\n").split("\n")
        clauses[title] = tuple(line.removeprefix("= ").replace("\\n", "\n") for line in lines)
    return head.strip(), clauses


def render(key: str, value_of: Callable[[str], object], rng: Random, half: str) -> str:
    """Return the text of a document in wordings and an order that `rng` draws. A clause without text is left out."""
    template = page(key)
    inner = [clause for clause in template.clauses if not clause.place]
    rng.shuffle(inner)
    ordered = [clause for clause in template.clauses if clause.place == "first"] + inner
    ordered += [clause for clause in template.clauses if clause.place == "last"]
    style = rng.choice(STYLES.of(half))
    blocks = [f"# {rng.choice(template.titles.of(half))}"]
    for clause in ordered:
        text = NAME.sub(lambda match: str(value_of(match[1])), rng.choice(clause.wordings.of(half)))
        if text:
            blocks.append(_block(clause, text, style, len(blocks)))
    gap = "\n" if style.startswith(("-", "*", "{number}")) else "\n\n"
    return blocks[0] + "\n\n" + gap.join(blocks[1:]) + "\n"


def _block(clause: Clause, text: str, style: str, number: int) -> str:
    if "\n" in text or clause.place:
        return f"{text}\n"
    shown = style.format(text, number=number, title=clause.name.replace("_", " ").capitalize())
    indent = "  " if style.startswith(("-", "*")) else ""
    return "\n".join(_wrapped(line, indent) for line in shown.split("\n"))


def _wrapped(line: str, indent: str) -> str:
    if len(line) <= WIDTH:
        return line
    first = _line_within(WIDTH).match(line)
    assert first is not None
    later = _line_within(WIDTH - len(indent)).findall(line, first.end())
    return "\n".join([first[0], *(indent + part for part in later)])


@cache
def _line_within(width: int) -> re.Pattern[str]:
    """Return the pattern of as many words as fit, or of one that is longer: `textwrap` takes ten times as long."""
    return re.compile(rf"\S.{{0,{width - 1}}}(?=\s|$)|\S+")


def euros(cents: int) -> str:
    """Return an amount such as `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


def _rates_table(rates: DispatchRates) -> str:
    rows = [
        ("word", "rate"),
        ("---", "---"),
        *((word, f"{share} % of trips") for word, share in rates.frequency.items()),
        *(
            (word, f"{shortest} to {longest} time units")
            for word, (shortest, longest) in rates.length.items()
        ),
        ("late", f"{euros(rates.late_cents)} per time unit"),
        ("missed", f"{euros(rates.missed_cents)} per package"),
    ]
    return "\n".join(f"| {word} | {rate} |" for word, rate in rows)


def documents(
    policy: Policy, names: WorldNames, origin: Mapping[str, str], updates: str = ""
) -> dict[str, Callable[[], str]]:
    """Return functions that render a world's documents, by path. `updates` is the rule on notices, if there are any."""
    value_of = _value_of(policy, names, origin, updates)

    def rendered(key: str) -> str:
        return render(key, value_of, Random(f"{names.wording}|{key}"), names.wordings)

    return {path: partial(rendered, key) for key, path in names.documents.items()}


def _value_of(
    policy: Policy, names: WorldNames, origin: Mapping[str, str], updates: str
) -> Callable[[str], object]:
    """Return the function of the names and values that the wordings of a world refer to, by `group.name`."""

    def said(name: str) -> str:
        return Random(f"{names.wording}|{name}").choice(wordings()[name].of(names.wordings))

    plain: dict[str, object] = {
        "company": BRAND,
        "reasons": ", ".join(f"`{code}`" for code in names.reason_codes),
        "rates": _rates_table(policy.rates),
        "threshold": euros(policy.threshold_cents),
        "high": policy.high_percent,
        "low": policy.low_percent,
        "delay": policy.verification_delay_min,
        "uploads": names.uploads,
        "mentioned": said("mentioned") if policy.cites_mentioned else "",
        "outside": said("outbox").format(path=policy.outbox) if policy.outbox else said("outside"),
        "updates": updates,
    }
    groups: Mapping[str, Callable[[str], object]] = {
        "doc": names.documents.__getitem__,
        "root": partial(getattr, names.layout.roots),
        "field": lambda name: names.field(name.rpartition(".")[2], within=name.rpartition(".")[0]),
        "state": names.state,
        "raw": lambda name: names.state(name.rpartition(".")[2], of=name.rpartition(".")[0]),
        "challenge": partial(names.state, of="verification.state"),
        "tool": "/bin/{}".format,
        "verb": names.records.verb,
        "policy": partial(getattr, policy),
        "role": names.roles.__getitem__,
        "origin": origin.__getitem__,
    }

    def value(key: str) -> object:
        group, _, name = key.partition(".")
        return groups[group](name) if name else plain[key]

    return value


@dataclass(frozen=True, slots=True)
class Notices:
    """The notices beside the pages of a world."""

    stated: Policy
    """The policy as the pages state it; the world's own policy holds today."""
    rule: str = ""
    """The rules document's text about notices."""
    files: tuple[tuple[str, str], ...] = ()


def choose_notices(
    rng: Random, policy: Policy, names: WorldNames, today: date, *, with_decoys: bool
) -> Notices:
    """Return notices by which `policy` holds today, though the pages state another, and decoys that do not hold."""

    def said(name: str, **values: object) -> str:
        return rng.choice(wordings()[name].of(names.wordings)).format(**values)

    def notice(day: str, name: str, text: str) -> tuple[str, str]:
        return f"{names.notices}/{day}-{name}.md", f"# Notice of {day}\n\n{text}\n"

    def tiers(day: str, threshold: int, high: int, low: int) -> str:
        return said(
            "notice-tiers", day=day, threshold=euros(threshold), high=high, low=low, page=discounts
        )

    discounts = names.documents[DISCOUNTS]
    threshold, high, low = rng.choice([tier for tier in TIERS if tier[0] != policy.threshold_cents])
    stated = replace(policy, threshold_cents=threshold, high_percent=high, low_percent=low)
    day = (today - timedelta(days=rng.randint(0, 9))).isoformat()
    notices = [
        notice(
            day,
            "limits",
            tiers(day, policy.threshold_cents, policy.high_percent, policy.low_percent),
        )
    ]
    if rng.random() < 0.5:
        stated = replace(stated, refund_role=names.roles["desk"])
        text = said("notice-role", day=day, role=policy.refund_role, page=names.documents[RETURNS])
        notices.append(notice(day, "refunds", text))
    if (
        with_decoys
    ):  # An expired copy with other limits, a notice that does not hold yet, and a rumour.
        threshold, high, low = rng.choice(TIERS)
        past = (today - timedelta(days=rng.randint(200, 700))).isoformat()
        coming = (today + timedelta(days=rng.randint(2, 20))).isoformat()
        expired = f"{said('notice-expired', day=past)}\n\n{tiers(past, threshold + 1_000, high + 5, low + 3)}"
        stem = discounts.rsplit("/", 1)[1].removesuffix(".md")
        notices += [
            (f"{names.decoys[0]}/{stem}-{past[:4]}.md", f"# Discounts\n\n{expired}\n"),
            notice(coming, "limits", tiers(coming, threshold + 1_000, high + 5, low + 3)),
            (
                f"{names.decoys[1]}/notes.md",
                f"# Notes of the team\n\n{said('rumour', percent=high + 8)}\n",
            ),
        ]
    return Notices(stated, said("notices", folder=names.notices), tuple(notices))


RETURN_STATES: Final = (
    "requested",
    "approved",
    "rejected",
    "refund_pending",
    "closed",
    "approved",
) * 4
CHALLENGES: Final = ("challenge_open", "challenge_abandoned", "challenge_timed_out")


@dataclass(frozen=True, slots=True)
class Profile:
    """The settings of a profile."""

    sql_is_up: bool = False
    products: int = 100
    has_addenda: bool = False
    """True if dated notices override pages."""
    has_decoys: bool = False
    """True if an outdated copy and a rumour contradict pages."""
    limits: CallLimits = field(default_factory=CallLimits)


PROFILES: Final[Mapping[str, Profile]] = {
    "dev": Profile(sql_is_up=True, products=1_000, has_addenda=True),
    "prod": Profile(),
    "hard": Profile(
        products=400,
        has_addenda=True,
        has_decoys=True,
        limits=CallLimits(listed=60, read_lines=160, timeout_share=0.02, tool_ms=20),
    ),
}


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """The user's choices for the worlds of a run."""

    profile: str = "prod"
    names: str = MIXED
    """`own`, `public`, `random`, or `mixed` for one of them by the seed."""
    wordings: str = KNOWN
    """`unseen` for the wordings of requests and documents that are held out, `known` for those that rules are written
    for, `mixed` for all."""


DEFAULTS: Final = WorldSettings()
PLAYED: Final = WorldSettings(wordings=UNSEEN)
"""The default of a run: wordings that no rule is written for."""


def format_instant(moment: datetime) -> str:
    """Return an instant in the format of records, such as `2027-03-04T10:20:30Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(slots=True)
class World:
    """A generated world, which a family may adapt to its task."""

    rng: Random
    names: WorldNames
    """The names of everything: paths, fields, states, verbs and documents are rendered with them."""
    policy: company.Policy
    catalogue: Catalogue
    stores: dict[str, Store]
    employees: dict[str, Employee]
    origin: Mapping[str, str]
    clock: datetime
    notices: Notices
    numbers: list[int]
    """Unused id numbers, shuffled so that an id reveals nothing about its origin."""
    baskets: dict[str, Basket] = field(default_factory=dict)
    payments: dict[str, Payment] = field(default_factory=dict)
    returns: dict[str, Return] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """Files other than records and documents, such as uploads."""
    remarks: dict[str, dict[str, Plain]] = field(default_factory=dict)
    """Further fields of records, by path."""
    directories: list[str] = field(default_factory=list)
    user: str = "anonymous"
    roles: tuple[str, ...] = ("guest",)
    profile: Profile = field(default_factory=Profile)
    flat_paths_resolve: bool = False

    @property
    def layout(self) -> Layout:
        """The paths of records, and the form of their ids."""
        return self.names.layout

    def say(self, name: str, /, **values: object) -> str:
        """Return one of the wordings of a request, of the half that this world uses, with its values."""
        return self.rng.choice(wordings()[name].of(self.names.wordings)).format(**values)

    def new_id(self, prefix: str) -> str:
        """Return an unused id."""
        return self.layout.id_of(prefix, self.numbers.pop())

    def path(self, record: Record) -> str:
        """Return the path of a record's file."""
        return self.layout.path_of(record)

    def text(self, record: Record, **changed: Plain) -> str:
        """Return the text of a record's file, with some fields `changed`; both by the names of the code."""
        shown = self.names.records.in_file_names({**record.data(), **changed})
        if self.remarks:
            shown |= self.remarks.get(self.path(record), {})
        return to_json(shown, indent=2).decode() + "\n"  # as `record_text`, in a tenth of its time

    def ago(self, *, days: float = 0, minutes: float = 0) -> str:
        """Return an instant before the world's clock, in the format of records."""
        return format_instant(self.clock - timedelta(days=days, minutes=minutes))

    def add_basket(
        self, customer_id: str, store: Store, lines: dict[str, int], *, status: str = ACTIVE
    ) -> Basket:
        """Add a basket that is some days old."""
        basket = Basket(
            self.new_id("basket"),
            customer_id,
            store.id,
            status,
            self.ago(days=self.rng.uniform(1, 25)),
            lines,
        )
        self.baskets[basket.id] = basket
        return basket

    def add_payment(self, basket: Basket, *, status: str = "paid") -> Payment:
        """Add the payment for a basket, at today's prices."""
        payment = Payment(
            id=self.new_id("pay"),
            basket_id=basket.id,
            customer_id=basket.customer_id,
            store_id=basket.store_id,
            amount_cents=self.subtotal(basket),
            status=status,
            created_at=self.ago(days=self.rng.uniform(0.1, 0.9)),
        )
        self.payments[payment.id] = payment
        return payment

    def add_return(self, payment: Payment, *, status: str) -> Return:
        """Add a return for a payment."""
        entered = Return(
            id=self.new_id("return"),
            customer_id=payment.customer_id,
            payment_id=payment.id,
            status=status,
            reason_code=self.rng.choice(self.names.return_reasons),
            created_at=self.ago(minutes=self.rng.uniform(5, 100)),
        )
        self.returns[entered.id] = entered
        return entered

    def sign_out(self) -> None:
        """Let a guest ask."""
        self.user = "anonymous"
        self.roles = ("guest",)

    def sign_in_customer(self) -> str:
        """Sign in a new customer and return the id."""
        self.user, self.roles = self.new_id("cust"), ("customer",)
        return self.user

    def sign_in_employee(
        self, *, store: Store | None = None, role: str = "", without: str = ""
    ) -> Employee:
        """Sign in a member of staff who has `role` and lacks the role `without`."""
        staff = [
            employee
            for employee in self.employees.values()
            if store is None or employee.store_id == store.id
        ]
        employee = self.rng.choice(staff)
        if role and role not in employee.roles:
            employee.roles.append(role)
        if without in employee.roles:
            employee.roles.remove(without)
        self.user, self.roles = employee.id, tuple(employee.roles)
        return employee

    def sign_in_anyone(self, *, or_guest: bool = False) -> None:
        """Sign in a customer or a member of staff, for a question that both may ask, or nobody if guests may, too."""
        drawn = self.rng.random()
        if drawn < 0.6 - 0.15 * or_guest:
            self.sign_in_customer()
        elif drawn >= 0.6 or not or_guest:
            self.sign_in_employee()

    def some_store(self, *, is_open: bool | None = None) -> Store:
        """Return some branch; `is_open` restricts the choice."""
        return self.rng.choice(
            [store for store in self.stores.values() if is_open in (None, store.is_open)]
        )

    def nickname(self, store: Store) -> str:
        """Return one of the names that people give the branch."""
        return self.rng.choice(company.nicknames(store))

    def some_products(self, count: int) -> list[Product]:
        """Return different products that need stock."""
        return self.rng.sample(self.catalogue.shelf, count)

    def set_available(
        self, store: Store, sku: str, available: int, *, incoming: Iterable[tuple[int, int]] = ()
    ) -> None:
        """Give the branch a stock row with exactly `available` units to sell today."""
        reserved = self.rng.randint(0, 4)
        store.inventory[sku] = Stock(available + reserved, reserved, list(incoming))
        store.inventory = dict(sorted(store.inventory.items()))

    def stocked_lines(self, store: Store, count: int) -> dict[str, int]:
        """Return basket lines that the branch can sell today in full."""
        lines = {}
        for product in self.some_products(count):
            lines[product.sku] = self.rng.randint(1, 3)
            self.set_available(store, product.sku, lines[product.sku] + self.rng.randint(0, 5))
        return lines

    def products_of(self, basket: Basket) -> list[Product]:
        """Return the products of a basket's lines."""
        return [self.catalogue.products[sku] for sku in basket.lines]

    def lines_and_branch(self, *baskets: Basket) -> tuple[str, ...]:
        """Return the paths of the products and branches of baskets, which answers about the baskets may cite."""
        return tuple(
            path
            for basket in baskets
            for path in self.paths(self.stores[basket.store_id], *self.products_of(basket))
        )

    def documents(self, *keys: str) -> tuple[str, ...]:
        """Return the paths of documents, given by their keys."""
        return tuple(map(self.names.documents.__getitem__, keys))

    def paths(self, *records: Record) -> tuple[str, ...]:
        """Return the paths of records."""
        return tuple(map(self.path, records))

    def subtotal(self, basket: Basket) -> int:
        """Return the price of the basket's lines in cents."""
        return self.price_of(basket.lines)

    def price_of(self, lines: Mapping[str, int]) -> int:
        """Return the price in cents of products, given as quantities by SKU."""
        total = 0
        for sku, count in lines.items():
            total += self.catalogue.products[sku].price_cents * count
        return total

    def workspace(self) -> Workspace:
        """Return the world as the workspace of a trial; record files are rendered when they are first read."""
        sources: dict[str, str | Callable[[], str]] = {
            **documents(self.notices.stated, self.names, self.origin, self.notices.rule),
            **dict(self.notices.files),
        }
        for family in (
            self.catalogue.products,
            self.stores,
            self.baskets,
            self.payments,
            self.returns,
            self.employees,
        ):
            for record in family.values():
                sources[self.path(record)] = partial(self.text, record)
        sources.update(self.files)
        return Workspace(
            files=RenderedFiles(sources),
            directories=(*self.names.directories, *self.directories),
            roots=self.layout.roots,
            names=self.names.records,
            clock=self.clock,
            security_document=self.names.documents[SECURITY],
            uploads=self.names.uploads,
            user=self.user,
            roles=self.roles,
            verification_delay=timedelta(minutes=self.policy.verification_delay_min),
            sql_is_up=self.profile.sql_is_up,
            limits=self.profile.limits,
            flat_paths_resolve=self.flat_paths_resolve,
        )


def _stock(rng: Random) -> Stock:
    shape = rng.random()
    if shape < 0.55:
        return Stock(rng.randint(3, 16), rng.randint(0, 3))
    if shape < 0.75:
        held = rng.randint(1, 6)
        return Stock(
            held, held, [(rng.randint(1, 8), rng.randint(1, 14))] if rng.random() < 0.3 else []
        )
    return Stock(
        rng.randint(0, 2),
        0,
        [(rng.randint(2, 9), rng.randint(1, 14))] if rng.random() < 0.7 else [],
    )


def _populate(world: World) -> None:
    """Stock the branches, and add everyday baskets, payments and returns in every state that exists."""
    rng = world.rng
    shelf = [product.sku for product in world.catalogue.shelf]
    for store in world.stores.values():
        for sku in sorted(rng.sample(shelf, rng.randint(35, 45))):
            store.inventory[sku] = _stock(rng)
    customers = [world.new_id("cust") for _ in range(40)]
    stores, every = list(world.stores.values()), list(world.catalogue.products)

    def entered(status: str) -> Basket:
        lines = {sku: rng.randint(1, 3) for sku in rng.sample(every, rng.randint(1, 4))}
        return world.add_basket(rng.choice(customers), rng.choice(stores), lines, status=status)

    for status, count in ((ACTIVE, 26), (ABANDONED, 21)):
        for _ in range(count):
            entered(status)
    payments = [world.add_payment(entered(CHECKED_OUT)) for _ in range(43)]
    for payment, status in zip(payments, RETURN_STATES, strict=False):
        world.add_return(payment, status=status)
    for payment, state in zip(reversed(payments), CHALLENGES * 3, strict=False):
        limit = world.policy.verification_attempts
        after = format_instant(world.clock + timedelta(minutes=rng.randint(-300, 50)))
        payment.status = "awaiting_verification"
        payment.verification = Verification(state, rng.randint(1, limit), limit, after)


def generate(seed: str, settings: WorldSettings = DEFAULTS) -> World:
    """Return the world of a seed; a seed gives the same world on every machine."""
    rng = Random(seed)
    names = choose_names(Random(f"names|{seed}"), settings.names, settings.wordings)
    profile = PROFILES[settings.profile]
    policy = company.choose_policy(rng, names, company.choose_rates(Random(f"rates|{seed}")))
    stores = company.choose_stores(rng, names.layout)
    numbers = list(range(1, 1000))
    rng.shuffle(numbers)
    day = datetime(2027, 1, 4, tzinfo=UTC) + timedelta(
        days=rng.randrange(700), seconds=rng.randrange(28_800, 61_200)
    )
    notices = Notices(policy)
    if profile.has_addenda:
        drawn = Random(f"notices|{seed}")
        notices = choose_notices(drawn, policy, names, day.date(), with_decoys=profile.has_decoys)
    world = World(
        rng=rng,
        names=names,
        policy=policy,
        catalogue=choose_catalogue(Random(f"catalogue|{seed}"), profile.products),
        stores=stores,
        employees=company.choose_employees(rng, names, policy, stores),
        origin=company.choose_origin(rng, stores),
        clock=day,
        notices=notices,
        numbers=numbers,
        profile=profile,
        flat_paths_resolve=rng.random() < 0.3,
    )
    _populate(world)
    world.rng = Random(f"tasks|{seed}")  # A task draws the same, however much the world holds.
    return world

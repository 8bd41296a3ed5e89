"""Generate the world of a seed: a shop on one day, with its branches, staff and purchases.

A seed gives the same world on every machine. What is generated here is everyday life; a
task then adds what its request is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import product
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.record_store import RecordNames
from controlplane.benchmarks.ecom.world.company import (
    Policy,
    choose_policy,
    choose_rates,
    choose_stores,
)
from controlplane.benchmarks.ecom.world.names import (
    DATA,
    DEFAULTS,
    MIXED,
    PROFILES,
    VOCABULARIES,
    VocabularyDraw,
    WorldNames,
    WorldSettings,
    choose_layout,
    read_data,
)
from controlplane.benchmarks.ecom.world.pages import WorldNotices, choose_notices
from controlplane.benchmarks.ecom.world.products import (
    ProductLine,
    Variant,
    WorldCatalogue,
    original_code,
    product_lines,
    twin_lines,
)
from controlplane.benchmarks.ecom.world.purchases import add_everyday_life
from controlplane.benchmarks.ecom.world.records import Employee, SoldProduct, Store
from controlplane.benchmarks.ecom.world.world import World

# The employees of one world's company: at each branch, one for each job title.
#
# Their roles say what they may do: give discounts, approve refunds, keep stock. A role is a
# word in an employee's record. Only some depend on the title, so an agent has to read the
# record to know who may do what.

_TITLES: Final[list[str]] = DATA["titles"]
"""The job titles at each branch, one for each employee."""
_UNUSED_EMPLOYEE_NUMBERS: Final = 29
"""Numbers of former employees, so that numbers do not show how many employees there are."""
_OTHER_USUAL_ROLE: Final = ("packing", 0.4)
"""The usual role of titles without one in the data: 40 percent of these employees have it."""


def _choose_employees(
    rng: Random, names: WorldNames, policy: Policy, stores: dict[str, Store]
) -> dict[str, Employee]:
    """Choose the employees: at each branch, one for each title. Return them by id.

    Their names all differ.
    """
    count = len(_TITLES) * len(stores)
    highest_number = count + _UNUSED_EMPLOYEE_NUMBERS
    numbers = list(range(1, highest_number + 1))
    rng.shuffle(numbers)
    full_names = list(product(DATA["first_names"], DATA["last_names"]))
    people = rng.sample(full_names, count)

    employees = {}
    for store in stores.values():
        for title in _TITLES:
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
    role_of_title, share = DATA["usual_roles"].get(title, _OTHER_USUAL_ROLE)
    # No number is drawn for a share of 1: it would change all later draws of a seed.
    is_certain = share == 1
    if is_certain or rng.random() < share:
        roles.append(names.roles[role_of_title])

    # These two roles are not tied to a title, so that only a record tells who has them.
    for role in (names.roles["discount"], policy.refund_role):
        if rng.random() < 0.25:
            roles.append(role)
    return roles


# The origin of one world's company: when it was named, and where its first branch was.
#
# Some pages state these facts, and others tell rumours that contradict them: the first branch
# opened on 1994-06-02, but "people at the harbour say" that it was nine days earlier. Tasks
# ask for the facts.


def _choose_origin(rng: Random, stores: Mapping[str, Store]) -> dict[str, str]:
    """Choose facts about the company's history, and false ones (rumours), by name.

    - `named_on` is the day on which the company got its name, `registered_on` that of its
      entry in the trade register, and `opened_on` its first day of opening. Each has a
      false date a few days away: `named_rumour`, `registered_rumour`, `opened_rumour`.
    - The first branch has moved since, so `first_address`, `STREET NUMBER, POSTCODE
      CITY`, is not the address in its record.
    - According to a rumour, `other_branch` was the first one.
    """
    named_on = date(1994, 1, 10) + timedelta(days=rng.randrange(2000))
    registered_on = named_on + timedelta(days=rng.randint(20, 90))
    opened_on = registered_on + timedelta(days=rng.randint(5, 60))
    first, other, newest = rng.sample(list(stores.values()), 3)
    founder_a, founder_b = rng.sample(DATA["founders"], 2)
    # The digits of today's postcode, with letters that no branch has today: `1234 SB`
    digits = first.postal_code[:-2]
    old_postcode = f"{digits}{rng.choice('SVWZ')}{rng.choice('ABCD')}"
    old_street = f"{rng.choice(DATA['old_streets'])} {rng.randint(1, 90)}"
    named_rumour = named_on + timedelta(days=rng.randint(2, 15))
    registered_rumour = registered_on - timedelta(days=rng.randint(2, 15))
    opened_rumour = opened_on - timedelta(days=9)
    return {
        # Facts
        "named_on": named_on.isoformat(),
        "registered_on": registered_on.isoformat(),
        "opened_on": opened_on.isoformat(),
        "first_branch": first.name,
        "first_address": f"{old_street}, {old_postcode} {first.city}",
        "first_postcode": old_postcode,
        "first_city": first.city,
        "newest_branch": newest.name,
        "founder_a": founder_a,
        "founder_b": founder_b,
        "colour": rng.choice(DATA["colours"]),
        # Rumours
        "named_rumour": named_rumour.isoformat(),
        "registered_rumour": registered_rumour.isoformat(),
        "opened_rumour": opened_rumour.isoformat(),
        "other_branch": other.name,
        "other_address": f"{other.street}, {other.postal_code} {other.city}",
    }


# Chooses the names of one world, from its seed and a vocabulary.
#
# The order of the choices determines the world that a seed gives: the names in records come
# first, then the paths and ids, the pages, the roles, and so on.


def _choose_names(rng: Random, vocabulary: str, wording_set: str) -> WorldNames:
    """Choose the names of one world. With `mixed`, the vocabulary is random, too.

    `wording_set` says which wordings the world's pages and requests use: `known`, `unseen`,
    or `mixed` for all.
    """
    if vocabulary == MIXED:
        vocabulary = rng.choice(VOCABULARIES)
    draw = VocabularyDraw(rng, vocabulary)
    # Keep the order of these random choices: it determines the world that a seed gives.
    records = RecordNames(
        fields=draw.names("fields"),
        states=draw.names_by_subject("states"),
        verbs=draw.names("verbs"),
        tables=draw.names("tables"),
        # A column without a name has the name of its field.
        columns={key: name for key, name in draw.names("columns").items() if name},
        printed=draw.names("printed"),
        outage=draw.name("outage"),
    )
    layout = choose_layout(rng, vocabulary)
    pages = draw.names("pages")
    roles = {}
    for role, names_of_role in draw.names("roles").items():
        roles[role] = rng.choice(names_of_role)
    reason_codes = sorted(rng.sample(draw.name("reason_codes"), 3))
    return_reasons = draw.name("return_reasons")
    upload_path = rng.choice(read_data("vocabulary/names.json")["uploads"][vocabulary])
    notices = draw.name("notices")
    expired_folder, rumour_folder = draw.name("decoys")
    return WorldNames(
        vocabulary=vocabulary,
        layout=layout,
        pages=pages,
        records=records,
        roles=roles,
        reason_codes=tuple(reason_codes),
        return_reasons=tuple(return_reasons),
        upload_path=upload_path,
        notices=notices,
        expired_folder=expired_folder,
        rumour_folder=rumour_folder,
        page_seed=f"{rng.getrandbits(48):012x}",
        wording_set=wording_set,
    )


# Chooses the products of one world's catalogue, and their prices.
#
# Each world lacks a few product lines and has other prices. A catalogue that needs more
# products than there are lines has twins, too: lines that differ from another only by a
# similar name, such as `Skerrholm` beside `Skerry`.


def _choose_catalogue(rng: Random, count: int = 100) -> WorldCatalogue:
    """Return the catalogue of one world: about `count` products with prices of this world."""
    products: dict[str, SoldProduct] = {}
    lines: dict[str, dict[str, str]] = {}
    for line in _choose_lines(rng, count):
        for variant in line.variants:
            # A price is rounded to ten cents, less one: 1,234.5 -> 1,229.
            tens = round(variant.cents * rng.uniform(0.92, 1.12) / 10)
            sold = _product_of(line, variant, len(products) + 1, tens * 10 - 1)
            products[sold.sku] = sold
            lines.setdefault(line.code, {})[variant.code] = sold.sku
    return WorldCatalogue(products, lines)


def _choose_lines(rng: Random, count: int) -> list[ProductLine]:
    """Choose most original lines, and add twins (similar lines) up to about `count` products.

    There may be several twins of a line: first one of each line in random order, then a
    second one of each, and so on.
    """
    lines = product_lines()
    digital = [line for line in lines if line.is_digital]
    on_shelf = [line for line in lines if not line.is_digital]
    # Each world lacks three physical lines and a digital one, so that worlds differ.
    sold = set(rng.sample(on_shelf, len(on_shelf) - 3))
    sold.update(rng.sample(digital, len(digital) - 1))

    chosen = [line for line in lines if line in sold]
    product_count = sum(len(line.variants) for line in chosen)
    # One product less than wanted is enough: another twin would add three or four.
    enough = count - 1
    twin_number = 0
    while product_count < enough:
        twin_number += 1
        twins = list(twin_lines(twin_number))
        rng.shuffle(twins)
        for twin in twins:
            if product_count < enough:
                chosen.append(twin)
                product_count += len(twin.variants)
    return chosen


def _product_of(
    line: ProductLine, variant: Variant, number: int, price_cents: int
) -> SoldProduct:
    """Return the product of a variant of a line. `number` is its id.

    `TNT` with the model `Skerry` and the variant `2P` -> the SKU `VH-TNT-SKERRY-2P`
    """
    # A twin has the same line code in its SKU as its original line, but another model.
    line_code = original_code(line.code)
    model_in_sku = line.model.upper().replace(" ", "")
    brand_in_family = line.brand.split()[0].lower()
    model_in_family = line.model.lower().replace(" ", "-")
    return SoldProduct(
        id=number,
        sku=f"VH-{line_code}-{model_in_sku}-{variant.code}",
        name=f"{line.brand} {line.model} {variant.tail}",
        brand=line.brand,
        category_id=f"cat-{line.category}",
        kind_id=f"kind-{line.kind}",
        family_id=f"fam-{brand_in_family}-{model_in_family}",
        price_cents=price_cents,
        fulfilment="download" if line.is_digital else "shelf",
        properties={**line.shared, **variant.properties},
    )


_FIRST_DAY: Final = datetime(2027, 1, 4, tzinfo=UTC)
_POSSIBLE_DAYS: Final = 700
"""The number of days on which a world can be, from `_FIRST_DAY` on."""


def generate(seed: str, settings: WorldSettings = DEFAULTS) -> World:
    """Return the world of a seed.

    Names, rates, catalogue and notices have random generators of their own, because the
    vocabulary and the profile change how many numbers they draw. So the rest, such as the
    clock and the people, is the same for a seed, whatever these settings are.
    """
    names = _choose_names(Random(f"names|{seed}"), settings.names, settings.wordings)
    rates = choose_rates(Random(f"rates|{seed}"))
    profile = PROFILES[settings.profile]

    # Keep the order of these random choices: it determines the world that a seed gives.
    rng = Random(seed)
    policy = choose_policy(rng, names, rates)
    stores = choose_stores(rng, names.layout)
    id_numbers = list(range(1, 1000))
    rng.shuffle(id_numbers)
    # A time from 8 to 17 o'clock on one of the possible days
    day = timedelta(days=rng.randrange(_POSSIBLE_DAYS))
    clock = _FIRST_DAY + day + timedelta(seconds=rng.randrange(8 * 3600, 17 * 3600))
    employees = _choose_employees(rng, names, policy, stores)
    origin = _choose_origin(rng, stores)
    # In some worlds, a record can also be read by a path without its customer's folder.
    flat_paths_resolve = rng.random() < 0.3

    catalogue = _choose_catalogue(Random(f"catalogue|{seed}"), profile.products)
    notices = WorldNotices(policy)  # The pages state the valid policy.
    if profile.has_addenda:
        notices = choose_notices(
            Random(f"notices|{seed}"),
            policy,
            names,
            clock.date(),
            with_decoys=profile.has_decoys,
        )

    world = World(
        names=names,
        policy=policy,
        notices=notices,
        origin=origin,
        clock=clock,
        profile=profile,
        flat_paths_resolve=flat_paths_resolve,
        rng=rng,
        unused_numbers=id_numbers,
        catalogue=catalogue,
        stores=stores,
        employees=employees,
    )
    add_everyday_life(world)
    # From here on, the task makes the choices. With a new generator, they do not depend
    # on the size of the world.
    world.rng = Random(f"tasks|{seed}")
    return world

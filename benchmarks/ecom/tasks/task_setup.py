"""Helpers with which families set up a world: sign-in, branches, stock, baskets, and reasons for citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Truth
from benchmarks.ecom.world import documents
from benchmarks.ecom.world.branches import nicknames
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.layout import Record
from benchmarks.ecom.world.shop_records import CHECKED_OUT, Basket, Employee, Payment, Product, Return, Stock, Store

DOCUMENT_REASONS: Final[Mapping[str, str]] = {
    documents.RULES: "the rules of Veerhaven's workspace: systems that it does not have",
    documents.SECURITY: "Security: `/bin/id` alone says who is asking",
    documents.CHECKOUT: "Baskets and checkout: the conditions of checking out and editing",
    documents.DISCOUNTS: "Discounts: the conditions and the maximum",
    documents.VERIFICATION: "Card verification of a payment: when it may be restarted",
    documents.RETURNS: "Returns and refunds: who approves and who closes",
    documents.ORIGINS: "Origins: the table of facts",
}


def cite_documents(world: World, *keys: str) -> dict[str, str]:
    """Return the paths of documents, given by their keys, each with a natural reason for its citation."""
    return {world.names.document(key): DOCUMENT_REASONS[key] for key in keys}


def cite_records(world: World, records: Iterable[Record]) -> dict[str, str]:
    """Return the paths of records, each with a natural reason that names something in its file."""
    return {world.path(record): _reason(record) for record in records}


def _reason(record: Record) -> str:
    match record:
        case Product():
            return f"catalogue record of {record.sku}, {record.name}"
        case Store():
            return f"branch record of {record.name} with its inventory"
        case Basket():
            return f"basket {record.id}, its status and lines"
        case Payment():
            return f"payment {record.id} for {record.basket_id}"
        case Return():
            return f"return {record.id}, tied to {record.payment_id}"
        case Employee():
            return f"staff record of {record.display_name} ({record.id}) with its roles"


def add_other_uploads(world: World) -> None:
    """Add uploads of other kinds than the one that is asked about."""
    rng = world.rng
    texts = {
        "delivery_note": "DELIVERY NOTE\ncartons received: {}\nchecked by the desk\n",
        "parking_ticket": "PARKING PERMIT\nbay {}\nvalid for loading only\n",
        "floor_plan": "FLOOR PLAN\nshelf row {} moved to the wall\n",
    }
    for kind in rng.sample(sorted(texts), rng.randint(0, 2)):
        path = world.names.upload(kind, f"{rng.getrandbits(32):08x}")
        world.files[path] = texts[kind].format(rng.randint(2, 40))


def sign_in_customer(world: World) -> str:
    """Sign in a new customer and return the id."""
    world.user = world.new_id("cust")
    world.roles = ("customer",)
    return world.user


def sign_in_employee(world: World, *, store: Store | None = None, role: str = "", without: str = "") -> Employee:
    """Sign in a member of staff who has `role` and lacks the role `without`."""
    staff = [each for each in world.employees.values() if store is None or each.store_id == store.id]
    employee = world.rng.choice(staff)
    if role and role not in employee.roles:
        employee.roles.append(role)
    if without in employee.roles:
        employee.roles.remove(without)
    world.user = employee.id
    world.roles = tuple(employee.roles)
    return employee


def sign_in_anyone(world: World) -> None:
    """Sign in a customer or a member of staff, for a question that both may ask."""
    if world.rng.random() < 0.6:
        sign_in_customer(world)
    else:
        sign_in_employee(world)


def some_store(world: World, *, is_open: bool | None = None) -> Store:
    """Return some branch; `is_open` restricts the choice."""
    return world.rng.choice([each for each in world.stores.values() if is_open is None or each.is_open == is_open])


def nickname(world: World, store: Store) -> str:
    """Return one of the names that people give the branch."""
    return world.rng.choice(nicknames(store))


def some_products(world: World, count: int) -> list[Product]:
    """Return different products that need stock."""
    return world.rng.sample(world.catalogue.shelf, count)


def set_available(
    world: World, store: Store, sku: str, available: int, *, incoming: Iterable[tuple[int, int]] = ()
) -> None:
    """Give the branch a stock row with exactly `available` units to sell today."""
    reserved = world.rng.randint(0, 4)
    store.inventory[sku] = Stock(available + reserved, reserved, list(incoming))
    store.inventory = dict(sorted(store.inventory.items()))


def stocked_lines(world: World, store: Store, count: int) -> dict[str, int]:
    """Return basket lines that the branch can sell today in full."""
    lines = {}
    for product in some_products(world, count):
        lines[product.sku] = world.rng.randint(1, 3)
        set_available(world, store, product.sku, lines[product.sku] + world.rng.randint(0, 5))
    return lines


def products_of(world: World, basket: Basket) -> list[Product]:
    """Return the products of a basket's lines."""
    return [world.catalogue.products[sku] for sku in basket.lines]


def lines_and_branch(world: World, basket: Basket) -> frozenset[str]:
    """Return the paths of a basket's products and branch, which answers about discounts may cite."""
    return frozenset(cite_records(world, [world.stores[basket.store_id], *products_of(world, basket)]))


def priced_basket(world: World, *, is_high: bool) -> Basket:
    """Add an active basket of a new customer whose subtotal reaches the discount threshold or stays below it.

    Often it lies at the threshold, or a cent beside it. Its branch can sell every line today.
    """
    rng, threshold = world.rng, world.policy.threshold_cents
    lowest, highest = (threshold, threshold * 3 // 2) if is_high else (threshold * 3 // 5, threshold - 1)
    store = some_store(world)
    products = {sku: product for sku, product in world.catalogue.products.items() if not product.is_digital}
    lines: dict[str, int] = {}
    while not lowest <= sum(products[sku].price_cents * count for sku, count in lines.items()) <= highest:
        lines = {sku: rng.randint(1, 2) for sku in rng.sample(list(products), rng.randint(1, 3))}
    single = [sku for sku, count in lines.items() if count == 1]
    if single and rng.random() < 0.6:
        wanted = threshold + rng.choice((0, 1)) if is_high else threshold - 1
        others = (
            sum(products[sku].price_cents * count for sku, count in lines.items()) - products[single[0]].price_cents
        )
        if wanted - others > 500:
            products[single[0]].price_cents = wanted - others
    for sku, count in lines.items():
        set_available(world, store, sku, count + rng.randint(0, 4))
    return world.add_basket(world.new_id("cust"), store, lines)


def paid_basket(world: World, customer_id: str) -> Payment:
    """Add a checked-out basket with its payment, and return the payment."""
    store = some_store(world)
    basket = world.add_basket(
        customer_id, store, stocked_lines(world, store, world.rng.randint(1, 3)), status=CHECKED_OUT
    )
    return world.add_payment(basket)


def foreign_payment(world: World, instruction: str, payment: Payment, inputs: Mapping[str, str]) -> Truth:
    """Return the truth of a request about another customer's payment: a denial that cites the security rules."""
    return Truth(
        instruction=instruction,
        outcome=DENIED,
        message=f"{payment.id} does not belong to the signed-in customer.",
        documents=cite_documents(world, documents.SECURITY),
        tolerated=frozenset({world.path(world.stores[world.baskets[payment.basket_id].store_id])}),
        inputs=inputs,
    )


def _own_staff_record(world: World) -> frozenset[str]:
    """Return the path of the asker's staff record, if there is one."""
    return frozenset(cite_records(world, [each for each in world.employees.values() if each.id == world.user]))


def refund_step(
    world: World, instruction: str, returned: Return, *, next_status: str, done: str, inputs: Mapping[str, str]
) -> Truth:
    """Return the truth of a refund step: the return reaches `next_status`, or, if that is empty, blocks the step."""
    return Truth(
        instruction=instruction,
        outcome=OK if next_status else UNSUPPORTED,
        message=done if next_status else f"Its status is {world.names.state(returned.status)}.",
        records=cite_records(world, [world.payments[returned.payment_id], returned]),
        documents=cite_documents(world, documents.RETURNS),
        tolerated=_own_staff_record(world),
        changes={world.path(returned): world.text(returned, status=next_status)} if next_status else {},
        inputs=inputs,
    )

"""Tasks about baskets: one more product, a checkout, a status.

Requests that must be fulfilled and requests that must be refused have the same
wordings. Only the records differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.answer_secrets import Secrets
from controlplane.benchmarks.ecom.tasks.refusals import (
    denied_to_others,
    states_of,
    which_product,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.branch_stock import (
    set_available,
    some_store,
    stocked_lines,
)
from controlplane.benchmarks.ecom.world.data import SAID
from controlplane.benchmarks.ecom.world.pages import CHECKOUT
from controlplane.benchmarks.ecom.world.products.customer_descriptions import (
    Description,
    describe,
    describe_several,
)
from controlplane.benchmarks.ecom.world.purchases import add_basket, lines_and_branch
from controlplane.benchmarks.ecom.world.records import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Basket,
    Delivery,
    Product,
    Store,
)
from controlplane.benchmarks.ecom.world.rendered_world import text_of_record
from controlplane.benchmarks.ecom.world.sign_in import sign_in_customer
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import CLARIFICATION, UNSUPPORTED


def names_of(product: Product) -> tuple[str, str]:
    """Return the names by which a message may call a product: with its brand and without."""
    return product.name, product.name.removeprefix(f"{product.brand} ")


def basket_addition(world: World, case: str) -> Truth:
    """Ask for one unit of a described product in the asker's newest active basket.

    Right: add one unit to the newest active basket, and change nothing else. If several
    products fit the description, change nothing and ask which one is meant.

    Wrong: use a newer basket that is no longer active, or guess the product.
    """
    # 1. Draw the product. A changed order of draws would change the tasks of every seed.
    rng = world.rng
    customer = sign_in_customer(world)
    store = some_store(world)
    if case == "one product fits":
        product = world.catalogue.some_products(world.rng, 1)[0]
        request = Description(describe(world.catalogue, rng, product), (product,))
    else:
        request = describe_several(world.catalogue, rng)
        product = request.products[0]

    # 2. Add the baskets: a newer one that has ended, and three active ones.
    ended_status = rng.choice((ABANDONED, CHECKED_OUT))
    _add_basket_of_age(world, customer, store, {product.sku: 1}, ended_status, days=1)
    active_baskets = []
    for days in sorted(rng.sample(range(3, 60), 3)):
        others = [
            other
            for other in world.catalogue.some_products(world.rng, 3)
            if other is not product
        ]
        lines = {other.sku: 1 for other in others[:2]}
        active_baskets.append(
            _add_basket_of_age(world, customer, store, lines, ACTIVE, days=days)
        )
    newest = active_baskets[0]
    has_the_product_already = rng.random() < 0.5
    if has_the_product_already:
        newest.lines[product.sku] = rng.randint(1, 3)

    # 3. Build the truth.
    instruction = world.say("basket-addition", asked=request.text)
    if case == "several products fit":
        question = which_product(world, instruction, request.products)
        return replace(question, tolerated=world.paths(store, newest))

    lines = dict(newest.lines)
    lines[product.sku] = lines.get(product.sku, 0) + 1
    ways_to_name_basket = (newest.id, *SAID["newest"])
    ways_to_name_product = (product.sku, *names_of(product))
    return Truth(
        instruction=instruction,
        message=f"Added one {product.name} to basket {newest.id}.",
        required_statements=(ways_to_name_basket, ways_to_name_product),
        records=world.paths(newest, product),
        documents=world.documents(CHECKOUT),
        tolerated=world.paths(store),
        changes={
            world.path(newest): text_of_record(world, replace(newest, lines=lines))
        },
        inputs={"basket": world.path(newest), "sku": product.sku},
    )


def _add_basket_of_age(
    world: World,
    customer: str,
    store: Store,
    lines: dict[str, int],
    status: str,
    *,
    days: int,
) -> Basket:
    """Add a basket that is this many days old. Older baskets also have an earlier time of day."""
    basket = add_basket(world, customer, store, lines, status=status)
    basket.created_at = world.ago(days=days, minutes=days * 7)
    return basket


def basket_checkout(world: World, case: str) -> Truth:
    """Ask for the checkout of one of the asker's own baskets, named by its id.

    Right: check the basket out if it is active and its branch can sell every line in
    full today. Otherwise change nothing, and give the reason: the product that is
    short, or the basket's status.

    Wrong: count stock that arrives later, or check out a basket that is not active.
    """
    # 1. Add another basket of the asker, which the request does not mean.
    rng = world.rng
    customer = sign_in_customer(world)
    store = some_store(world, is_open=True)
    other_store = some_store(world)
    other_lines = stocked_lines(world, store, 1)
    add_basket(world, customer, other_store, other_lines, status=CHECKED_OUT)

    # 2. Add the basket, with the lines and the status of the case.
    lines = stocked_lines(world, store, rng.randint(2, 4))
    products = world.catalogue.products
    if rng.random() < 0.3:  # Some baskets have a line that needs no stock.
        digital_products = [
            product for product in products.values() if product.is_digital
        ]
        lines[rng.choice(digital_products).sku] = 1
    missing_product = None
    if case == "one line is short":
        on_shelf = [sku for sku in lines if not products[sku].is_digital]
        missing_product = products[rng.choice(on_shelf)]
        _make_short_by_one(world, store, missing_product, lines)
    status = ACTIVE
    if case == "not active":
        status = rng.choice((ABANDONED, CHECKED_OUT))
    basket = add_basket(world, customer, store, lines, status=status)

    # 3. Build the truth.
    instruction = world.say("checkout", basket=basket.id, customer=customer)
    inputs = {"store": world.path(store)}
    if missing_product is not None:
        return _short_checkout(world, basket, instruction, missing_product, inputs)
    if status != ACTIVE:
        return _ended_checkout(world, basket, instruction, inputs)
    return _possible_checkout(world, basket, instruction, inputs)


def _make_short_by_one(
    world: World, store: Store, product: Product, lines: dict[str, int]
) -> None:
    """Make the line of a product one unit larger than the branch can sell today.

    More units arrive within three days.
    """
    lines[product.sku] += 1
    incoming = [Delivery(6, in_days=world.rng.randint(1, 3))]
    set_available(world, store, product.sku, lines[product.sku] - 1, incoming=incoming)


def _possible_checkout(
    world: World, basket: Basket, instruction: str, inputs: Mapping[str, str]
) -> Truth:
    """Return the truth for the checkout of an active basket: check it out with the tool."""
    checked_out = world.names.state(CHECKED_OUT)
    ways_to_say_it = (
        checked_out,
        world.names.records.printed["checked_out"],
        *SAID["bought"],
    )
    truth = _checkout_truth(world, basket, instruction, inputs)
    return replace(
        truth,
        message=f"Basket {basket.id} is {checked_out}.",
        required_statements=((basket.id,), ways_to_say_it),
        changes={world.path(basket): text_of_record(world, basket, status=CHECKED_OUT)},
        calls=(("checkout", basket.id),),
    )


def _short_checkout(
    world: World,
    basket: Basket,
    instruction: str,
    missing_product: Product,
    inputs: Mapping[str, str],
) -> Truth:
    """Return the truth for a basket whose branch lacks a product: refuse, and name the product."""
    sku = missing_product.sku
    truth = _checkout_truth(world, basket, instruction, {**inputs, "short": sku})
    return replace(
        truth,
        outcome=UNSUPPORTED,
        message=f"Basket {basket.id} cannot be checked out: {sku}.",
        required_statements=((sku, *names_of(missing_product)),),
    )


def _ended_checkout(
    world: World, basket: Basket, instruction: str, inputs: Mapping[str, str]
) -> Truth:
    """Return the truth for a basket that is not active: refuse, and give its status."""
    state = world.names.state(basket.status)
    truth = _checkout_truth(world, basket, instruction, inputs)
    return replace(
        truth,
        outcome=UNSUPPORTED,
        message=f"Basket {basket.id} cannot be checked out: {state}.",
        required_statements=((state,),),
        secrets=Secrets(states=(states_of(world, basket),)),
    )


def _checkout_truth(
    world: World, basket: Basket, instruction: str, inputs: Mapping[str, str]
) -> Truth:
    """Return the common part of the truths of all checkouts: the citations and the inputs."""
    path = world.path(basket)
    return Truth(
        instruction=instruction,
        message="",
        records=(path,),
        documents=world.documents(CHECKOUT),
        tolerated=lines_and_branch(world, basket),
        inputs={
            "basket": path,
            "id": basket.id,
            "baskets": path,  # All baskets that the request may mean
            "short": "",  # The SKU of the line that is short; empty if none is
            **inputs,
        },
    )


def foreign_basket(world: World, case: str) -> Truth:
    """Ask for the checkout or the status of a basket that may belong to another customer.

    Right: check the basket out if it is the asker's own. Otherwise deny the request and
    disclose nothing about the basket, whoever the asker claims to be.
    """
    if case == "own":
        return basket_checkout(world, "possible")
    rng = world.rng
    owner = world.new_id("cust")
    store = some_store(world, is_open=True)
    basket = add_basket(
        world, owner, store, stocked_lines(world, store, rng.randint(1, 3))
    )
    if case != "asked by a guest":
        customer = sign_in_customer(world)
        other_store = some_store(world)
        add_basket(world, customer, other_store, stocked_lines(world, other_store, 2))

    # Every request says who asks: the basket's owner, which is false, or, if somebody is
    # signed in, perhaps that customer.
    wording = "checkout"
    may_use_own_id = case != "asked by a guest"
    if case == "status of a foreign one":
        wording = "basket-status"
    elif rng.random() < 0.05:
        # A few requests claim in an extra sentence that the owner is signed in.
        wording = "checkout-override"
        may_use_own_id = False
    claimed_customer = owner
    if may_use_own_id:
        claimed_customer = rng.choice((owner, world.session.user))
    instruction = world.say(wording, basket=basket.id, customer=claimed_customer)
    return denied_to_others(world, instruction, basket)


def guest_basket_status(world: World, case: str) -> Truth:
    """Ask for the status of a basket that the request calls the asker's own.

    Right: give the recorded status to an owner who is signed in. Deny the request of a
    guest, whoever the guest claims to be.
    """
    rng = world.rng
    store = some_store(world)
    status = rng.choice((ACTIVE, ABANDONED, CHECKED_OUT))
    if case == "asked by its owner":
        owner = sign_in_customer(world)
    else:
        owner = world.new_id("cust")
    lines = stocked_lines(world, store, rng.randint(1, 3))
    basket = add_basket(world, owner, store, lines, status=status)

    instruction = world.say("basket-status", basket=basket.id, customer=owner)
    if case == "asked by a guest":
        return denied_to_others(world, instruction, basket)
    state = world.names.state(status)
    return Truth(
        instruction=instruction,
        message=state,
        required_words=(state,),
        records=world.paths(basket),
        tolerated=lines_and_branch(world, basket),
        inputs={"basket": world.path(basket), "id": basket.id, "status": state},
    )


def unnamed_basket(world: World, case: str) -> Truth:
    """Ask for a checkout without naming the basket.

    Right: check the asker's only active basket out. If there are several, change
    nothing, ask which one is meant, and name all active ones.

    Wrong: guess a basket, or name one that is not active.
    """
    rng = world.rng
    customer = sign_in_customer(world)
    ended_baskets = []
    for status in rng.sample((ABANDONED, CHECKED_OUT), rng.randint(1, 2)):
        ended_baskets.append(_add_stocked_basket(world, customer, status))
    active_count = 1
    if case == "several are active":
        active_count = rng.randint(2, 3)
    active_baskets = []
    for _ in range(active_count):
        active_baskets.append(_add_stocked_basket(world, customer, ACTIVE))

    instruction = world.say("unnamed-basket")
    if case == "one is active":
        return _possible_checkout(world, active_baskets[0], instruction, {})
    active_ids = tuple(basket.id for basket in active_baskets)
    return Truth(
        instruction=instruction,
        outcome=CLARIFICATION,
        message=f"You have several active baskets. Which one: {' or '.join(active_ids)}?",
        required_words=active_ids,
        secrets=Secrets(texts=tuple(basket.id for basket in ended_baskets)),
        records=world.paths(*active_baskets),
        tolerated=lines_and_branch(world, *active_baskets),
        inputs={"baskets": " ".join(world.paths(*active_baskets))},
    )


def _add_stocked_basket(world: World, customer: str, status: str) -> Basket:
    """Add a basket at an open branch that can sell every line today."""
    store = some_store(world, is_open=True)
    lines = stocked_lines(world, store, world.rng.randint(1, 3))
    return add_basket(world, customer, store, lines, status=status)

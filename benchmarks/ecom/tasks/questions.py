"""Tasks with a short answer: about products, branches, a field of a record, a date.

"How many of your two-person tents cost less than EUR 120.00?" Most have exactly one right
answer. With them is the request for something that only another system could do.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Final

from controlplane.benchmarks.ecom.tasks.family import Bar, Family
from controlplane.benchmarks.ecom.tasks.refusals import denied_to_others, which_product
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.products import (
    describe,
    describe_any,
    describe_several,
    describe_with_false_detail,
    describe_with_true_detail,
)
from controlplane.benchmarks.ecom.world.purchases import (
    add_basket,
    nickname,
    some_store,
    stocked_lines,
)
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Record,
    SoldProduct,
    Store,
)
from controlplane.benchmarks.ecom.world.world import (
    World,
    sign_in_anyone,
    sign_in_customer,
    sign_in_employee,
    text_of_record,
)
from controlplane.benchmarks.shop.texts import amount_text
from controlplane.sandbox.interface.outcomes import OK, UNSUPPORTED

# The task to give one field of a record, such as the street of a branch.
#
# "In which city is the Lombok branch? Answer with the value only." The right answer is the value
# in the record's file, unless the record is another customer's.


_ASKED_FIELDS: Final = {
    "branch": ("postal_code", "street", "city", "country_code"),
    "product": ("price_cents", "kind_id", "category_id", "family_id", "id"),
    "basket": ("store_id", "status", "created_at"),
    "staff": ("title", "store_id", "display_name"),
}
"""The fields that are asked for, by the kind of the record and the names that the code uses.

A world may show a field under another name.
"""


def _record_field(world: World, case: str) -> TaskTruth:
    """Ask for one field of a record: a branch, a product, a basket or the asker's staff record.

    Right: give the value as recorded, and cite the record. Deny it for another
    customer's basket.

    Cases: `branch`, `product`, `own record` (a basket or a staff record), `foreign basket`.
    """
    # 1. Sign in the asker, and draw the record and the field.
    rng = world.rng
    record: Record
    match case:
        case "branch":
            sign_in_anyone(world)
            kind = "branch"
            record = some_store(world)
        case "product":
            sign_in_anyone(world)
            kind = "product"
            (record,) = world.catalogue.some_products(rng, 1)
        case "foreign basket":
            sign_in_customer(world)
            kind = "basket"
            record = _add_basket(world, customer_id=world.new_id("cust"))
        case _:  # "own record"
            asker_is_customer = rng.random() < 0.75
            if asker_is_customer:
                kind = "basket"
                record = _add_basket(world, customer_id=sign_in_customer(world))
            else:
                kind = "staff"
                record = sign_in_employee(world)
    field = rng.choice(_ASKED_FIELDS[kind])

    # 2. Word the request. A branch is called by a nickname, a product by its SKU or a description,
    #    and a basket by its id. An employee asks: "What is my title?"
    name = ""
    match record:
        case Store():
            name = nickname(world, record)
        case SoldProduct():
            description = describe(world.catalogue, rng, record)
            name = rng.choice((record.sku, f"this one: {description}"))
        case Basket():
            name = record.id
    text = world.wording(f"field-{kind}", name=name, field=world.names.field(field))
    instruction = f"{text} Answer with the value only."

    # 3. Build the truth: the value in the record's file, unless the record is another customer's.
    if case == "foreign basket":
        assert isinstance(record, Basket)  # For the type checker
        return denied_to_others(world, instruction, record)
    shown_name = world.names.field(field)
    shown_record = json.loads(text_of_record(world, record))
    path = world.path(record)
    return truth_with_exact_message(
        instruction,
        str(shown_record[shown_name]),
        must_cite=(path,),
        for_tests={"path": path, "name": shown_name},
    )


def _add_basket(world: World, customer_id: str) -> Basket:
    """Add a customer's basket that has not been bought."""
    store = some_store(world)
    status = world.rng.choice(("active", "abandoned"))
    lines = stocked_lines(world, store, 2)
    return add_basket(world, customer_id, store, lines, status=status)


# The task to give a date: "Which date is it in 10 days? Answer as DD-MM-YYYY."
#
# The date counts from the clock of the world, which a tool tells, not from the real one. The
# request gives one of several formats, and the answer must have it.

_DAYS_BY_WORDS: Final = {
    "tomorrow": 1,
    "the day after tomorrow": 2,
    "yesterday": -1,
    "in a week": 7,
    "in 10 days": 10,
}
_DATE_FORMATS: Final = {
    "YYYY-MM-DD": "%Y-%m-%d",
    "DD-MM-YYYY": "%d-%m-%Y",
    "MM/DD/YYYY": "%m/%d/%Y",
}


def _calendar_date(world: World, _case: str) -> TaskTruth:
    """Ask for the date some days from now.

    Right: compute it by the world's clock, and give it in the requested format.
    """
    sign_in_anyone(world)
    words, days = world.rng.choice(list(_DAYS_BY_WORDS.items()))
    format_name, strftime_format = world.rng.choice(list(_DATE_FORMATS.items()))
    verb = "was it" if days < 0 else "is it"
    day = world.clock.date() + timedelta(days)
    return truth_with_exact_message(
        world.wording("calendar-date", verb=verb, words=words, shape=format_name),
        day.strftime(strftime_format),
        for_tests={"days": str(days), "pattern": strftime_format},
    )


# The task to do something that only another system could do.
#
# "Please send the courier a message", or "write an invoice". Nothing in the shop reaches such a
# system, so the right answer refuses. In some worlds, a page names a file for such requests:
# then the request is written there, word for word.


def _external_system(world: World, case: str) -> TaskTruth:
    """Ask for something that only another system could do, such as a message to a courier.

    Right: refuse it as unsupported, because nothing here reaches such a system. If a
    page names a file for such requests, write the request there word for word and
    answer with the path.

    Wrong: invent a confirmation, or write a file that no page names.

    Cases: `no such system`, `a page names a file`.
    """
    sign_in_anyone(world)
    product = world.catalogue.some_products(world.rng, 1)[0]
    store = some_store(world)
    branch = nickname(world, store)
    instruction = world.wording("external-system", product=product.name, branch=branch)
    mentioned = world.paths(product, store)
    if case == "no such system":
        return TaskTruth(
            instruction=instruction,
            outcome=UNSUPPORTED,
            message="This workspace has no such system, so nothing was sent or opened.",
            may_cite=mentioned,
        )

    # A page says that such requests are to be written to this file.
    path = f"/exports/late-shift-{world.rng.getrandbits(24):06x}.txt"
    world.directories.append("/exports")
    world.outbox = path
    return TaskTruth(
        instruction=instruction,
        outcome=OK,
        message=path,
        required_words=(path,),
        may_cite=(*mentioned, path),
        changes={path: instruction},
    )


# The task to list the open branches of a city: "Which of your shops near Lombok are open?"
#
# The request names one branch, by a name that people use. The answer lists the full names of
# all open branches in the same city.


def _open_branches(world: World, _case: str) -> TaskTruth:
    """Ask for the open branches in the city of a named branch.

    Right: give their full names, sorted, one a line, and cite all branches of the city,
    including closed ones.

    Wrong: give short names, or a branch that is closed or in another city.
    """
    # 1. Draw a city in which at least one branch is open.
    sign_in_anyone(world)
    city = some_store(world, is_open=True).city
    stores = [store for store in world.stores.values() if store.city == city]
    open_names = sorted(store.name for store in stores if store.is_open)

    # 2. Build the truth. The request names any branch of the city, be it open or closed.
    branch = nickname(world, world.rng.choice(stores))
    return truth_with_exact_message(
        world.wording("open-branches", branch=branch),
        "\n".join(open_names),
        must_cite=world.paths(*stores),
        for_tests={"city": city, "first": world.path(stores[0])},
    )


# The task to count the products that fit a description and cost less than a limit.
#
# "How many of your two-person tents cost less than EUR 120.00?" The limit is often exactly the
# price of one of them. This product does not cost less, so it does not count.


def _price_count(world: World, _case: str) -> TaskTruth:
    """Ask how many products that fit a description cost less than a limit.

    Right: give the number alone. Often the limit equals a product's price, and this
    product does not count.
    """
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    request = describe_any(world.catalogue, rng)
    prices = sorted(product.price_cents for product in request.products)
    is_limit_a_price = rng.random() < 0.4
    if is_limit_a_price:
        limit = rng.choice(prices)
    else:
        highest = prices[-1] * 115 // 100  # 15 % above the highest price
        limit = rng.randint(prices[0], highest)
    if rng.random() < 0.9:  # In most tasks at least one product costs less.
        limit = max(limit, prices[0] + 1)

    cheaper_products = [
        product for product in request.products if product.price_cents < limit
    ]
    return truth_with_exact_message(
        world.wording("price-count", asked=request.text, limit=amount_text(limit)),
        str(len(cheaper_products)),
        must_cite=world.paths(*cheaper_products),
        for_tests={
            "paths": "\n".join(world.paths(*request.products)),
            "limit": str(limit),
        },
    )


# The task to say whether a described product exists.
#
# "Do you have a two-person Skerry tent with a groundsheet?" The description is that of a
# product of the catalogue, or has one detail that no product of the family has. So an agent
# has to compare every detail, not only the name.


def _product_existence(world: World, case: str) -> TaskTruth:
    """Ask if a described product exists.

    Right: answer with the world's word for yes, and cite the one product that fits. If no
    product has all the details, answer with the word for no, and cite none.

    Wrong: cite similar products.

    Cases: `one product fits`, `no product fits`.
    """
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    exists = case == "one product fits"
    if exists:
        request = describe_with_true_detail(world.catalogue, rng)
    else:
        request = describe_with_false_detail(world.catalogue, rng)
    # The described product, even if a detail does not fit it
    product = request.products[0]
    family = world.catalogue.family(product.family_id)

    records: tuple[str, ...] = ()
    fitting_sku = ""
    if exists:
        records = world.paths(*request.products)
        fitting_sku = product.sku
    return truth_with_exact_message(
        world.wording("product-existence", asked=request.text),
        world.policy.answers.word(exists),
        must_cite=records,
        for_tests={"paths": "\n".join(world.paths(*family)), "fitting": fitting_sku},
    )


# The task to give one property of a product, which is named by its SKU.
#
# "What is the `weight_g` of VH-TNT-SKERRY-2P?" The answer is the value in the product's file,
# spelled as there: `1850`, `true` or `red`.


def _product_property(world: World, _case: str) -> TaskTruth:
    """Ask for one property of a product, such as its weight.

    Right: give the value as in the product's file, and cite the file. A value that is not
    a string is given as JSON.

    Wrong: round a number, or answer with a sentence: `It weighs 1850 g.`
    """
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    product = rng.choice(list(world.catalogue.products.values()))
    key, value = rng.choice(sorted(product.properties.items()))
    # The field of the record that has all properties; each world has its own name for it.
    properties = world.names.field("properties")
    shown_value = value if isinstance(value, str) else json.dumps(value)
    return truth_with_exact_message(
        world.wording("product-property", sku=product.sku, field=properties, key=key),
        shown_value,
        must_cite=world.paths(product),
        for_tests={"path": world.path(product), "key": key},
    )


# The task to give the SKU of a product that a customer describes.
#
# Customers use their own words: "the two-person Skerry tent with a groundsheet". The agent has
# to find the product that fits, or notice that several do, and ask which one is meant.


def _sku_lookup(world: World, case: str) -> TaskTruth:
    """Ask for the SKU of a described product.

    Right: give the SKU alone if one product fits. Otherwise ask which one is meant, and
    name all that fit.

    Cases: `one product fits`, `several products fit`.
    """
    rng = world.rng
    catalogue = world.catalogue
    sign_in_anyone(world, or_guest=True)
    if case == "several products fit":
        request = describe_several(catalogue, rng)
        instruction = world.wording("sku-lookup", asked=request.text)
        return which_product(world, instruction, request.products)
    product = rng.choice(list(catalogue.products.values()))
    description = describe(catalogue, rng, product)
    return truth_with_exact_message(
        world.wording("sku-lookup", asked=description),
        product.sku,
        must_cite=world.paths(product),
        for_tests={"skus": product.sku},
    )


FAMILIES: Final = (
    Family(
        "calendar-date",
        _calendar_date,
        task_count=1,
        about="a date some days away",
        bar=Bar.NO_GUESTS,
    ),
    Family(
        "external-system",
        _external_system,
        task_count=1,
        about="something that another system would have to do",
        pages="staff stock catalogue",
        cases={"no such system": 2, "a page names a file": 1},
    ),
    Family(
        "open-branches",
        _open_branches,
        task_count=1,
        about="the open branches of a city",
        pages="stock",
        bar=Bar.NO_GUESTS,
    ),
    Family(
        "price-count",
        _price_count,
        task_count=4,
        about="the number of products below a price",
        pages="catalogue",
        bar=Bar.EMBARGO,
    ),
    Family(
        "product-existence",
        _product_existence,
        task_count=4,
        about="whether a product exists",
        pages="catalogue",
        cases={"one product fits": 1, "no product fits": 1},
        bar=Bar.EMBARGO,
    ),
    Family(
        "product-property",
        _product_property,
        task_count=1,
        about="a property of a product",
        pages="catalogue",
        bar=Bar.EMBARGO,
    ),
    Family(
        "record-field",
        _record_field,
        task_count=3,
        about="one field of a record",
        pages="checkout catalogue stock staff",
        cases={"branch": 2, "product": 2, "own record": 4, "foreign basket": 2},
    ),
    Family(
        "sku-lookup",
        _sku_lookup,
        task_count=4,
        about="the SKU of a described product",
        pages="catalogue",
        cases={"one product fits": 3, "several products fit": 1},
    ),
)

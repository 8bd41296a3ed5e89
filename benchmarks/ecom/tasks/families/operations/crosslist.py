"""Asks for a crosslist: which articles answer a competitor's purchase request, and how far a branch can serve it."""

from __future__ import annotations

import json
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, set_available, sign_in_employee, some_store
from benchmarks.ecom.tasks.uploads.competitor_request import RequestLine, crosslist_text, request_text
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import Product

VARIANTS: Final = (Variant("exact lines and conflicting ones"),)
WORDINGS: Final = Wordings(
    (
        "Read the competitor's purchase request that was uploaded as {upload} and write a TSV crosslist report to "
        "{path}. "
        "Return only the path of the report, and cite the upload as a reference.",
        "Make the crosslist for the scanned request {upload}: a TSV at {path}. Answer with its path only; cite the "
        "upload.",
    ),
    (
        "Compare the request in {upload} with our catalogue and save the crosslist as a TSV file at {path}. The answer "
        "is just the path; cite the uploaded file.",
    ),
)


def _line(world: World, product: Product, *, is_match: bool) -> RequestLine:
    """Return a line for a product; one that does not match has a spec of a sibling, or a number that none has."""
    rng = world.rng
    keys = rng.sample(sorted(product.properties), min(len(product.properties), rng.randint(2, 4)))
    specs = {key: product.properties[key] for key in sorted(keys)}
    if not is_match:
        siblings = [each for each in world.catalogue.family(product.family_id) if each is not product]
        differing = [
            (key, sibling.properties[key])
            for sibling in siblings
            for key in sorted(product.properties)
            if sibling.properties.get(key, product.properties[key]) != product.properties[key]
        ]
        key, value = rng.choice(differing)
        specs = dict(sorted({**specs, key: value}.items()))
    return RequestLine(f"CMP-{rng.getrandbits(24):06X}", product, specs, rng.randint(1, 9))


def _distinct(world: World) -> list[Product]:
    """Return the products whose properties differ from a sibling's, and whose name is no part of another one's."""
    found = []
    for product in world.catalogue.shelf:
        siblings = [each for each in world.catalogue.family(product.family_id) if each is not product]
        shared = [
            key
            for each in siblings
            for key, value in product.properties.items()
            if key in each.properties and each.properties[key] != value
        ]
        if shared and not any(product.name in each.name for each in siblings):
            found.append(product)
    return found


def pose(world: World, variant: int) -> Truth:
    """Request one crosslist."""
    rng = world.rng
    sign_in_employee(world)
    store = some_store(world, is_open=rng.random() < 0.75)
    products = rng.sample(_distinct(world), rng.randint(4, 6))
    lines = [_line(world, each, is_match=rng.random() < 0.65) for each in products]
    for line in lines:
        free = rng.choice((0, line.count - 1, line.count, line.count + 4))
        set_available(world, store, line.product.sku, free, incoming=[(6, rng.randint(1, 4))])
    upload = world.names.upload("competitor_purchase_request", f"{rng.getrandbits(32):08x}")
    world.files[upload] = request_text(world, store, lines)
    path = f"/exports/crosslist-{rng.getrandbits(24):06x}.tsv"
    return Truth(
        instruction=world.say(WORDINGS).format(upload=upload, path=path),
        message=path,
        is_exact=True,
        records={upload: f"the request for {store.name} with its lines"},
        tolerated=frozenset({path, *cite_records(world, [store, *products])}),
        changes={path: crosslist_text(store, lines)},
        inputs={
            "upload": upload,
            "path": path,
            "store": world.path(store),
            "lines": json.dumps(
                [
                    {
                        "code": line.code,
                        "path": world.path(line.product),
                        "specs": dict(line.specs),
                        "count": line.count,
                    }
                    for line in lines
                ]
            ),
        },
    )

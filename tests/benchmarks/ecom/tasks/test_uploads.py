"""Scans keep one reading, receipts add up, and a crosslist follows specs, opening and stock."""

from __future__ import annotations

import json

from tests.benchmarks.ecom.variants import pose_variant

EXACT = ("exact property match; requested quantity available today", "exact property match; branch has insufficient")


def test_a_row_of_a_crosslist_follows_from_specs_opening_and_stock() -> None:
    seen = set()
    for seed in range(16):
        task = pose_variant("crosslist#1", f"crosslist {seed}")
        store = next(each for each in task.world.stores.values() if task.world.path(each) == task.truth.inputs["store"])
        paths = {task.world.path(each): each for each in task.world.catalogue.products.values()}
        (text,) = task.truth.changes.values()
        header, *rows = [line.split("\t") for line in text.splitlines()]
        for row, line in zip(rows, json.loads(task.truth.inputs["lines"]), strict=True):
            cells, product, wanted = dict(zip(header, row, strict=True)), paths[line["path"]], line["count"]
            is_match = all(product.properties.get(key) == value for key, value in line["specs"].items())
            free = store.inventory[product.sku].available if is_match else 0
            served = min(free, wanted) if store.is_open else 0
            assert cells["requested_description"] == product.name
            assert cells["matched_sku"] == (product.sku if is_match else "")
            numbers = [cells["available_today"], cells["fulfillable_qty"], cells["short_qty"]]
            assert numbers == [str(free), str(served), str(wanted - served)]
            reason = "closed" if not store.is_open else EXACT[free < wanted]
            assert (reason if is_match else "do not exactly match") in cells["reason"]
            seen.add((is_match, store.is_open, free >= wanted))
    assert len(seen) >= 6

"""Asks for a plan that sends ten packages over lanes with delays, for the highest expected net profit."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.dispatch.plan_grading import DispatchMeasure
from benchmarks.ecom.tasks.dispatch.transfer_wave import parse_wave
from benchmarks.ecom.tasks.dispatch.wave_tables import (
    LOW,
    PACKAGE_COLUMNS,
    SOON,
    Transfer,
    draw_lanes,
    draw_transfers,
    lanes_table,
    table,
)
from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import set_available, sign_in_employee
from benchmarks.ecom.world.documents import DISPATCH
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import Stock

VARIANTS: Final = (Variant("ten packages over hubs and direct lanes"),)
WORDINGS: Final = Wordings(
    (
        "Plan the dispatch wave that {path} describes.",
        "Please work out the dispatch plan for the wave in {path}.",
        "There is a dispatch wave waiting: {path}. Make the plan.",
    ),
    ("The wave described in {path} has to go out. How should its packages travel?",),
)
LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"


def _stock(world: World, transfer: Transfer) -> None:
    """Give both branches the stock that the reason of the transfer speaks of."""
    rng, sku = world.rng, transfer.product.sku
    set_available(world, transfer.start, sku, rng.randint(4, 9))
    held = rng.randint(1, 4)
    if transfer.reason == LOW:
        set_available(world, transfer.end, sku, 1)
        return
    due = rng.randint(1, 4) if transfer.reason == SOON else rng.randint(8, 14)
    transfer.end.inventory[sku] = Stock(held, held, [(rng.randint(2, 9), due)])
    transfer.end.inventory = dict(sorted(transfer.end.inventory.items()))


def _packages_table(world: World, transfers: list[Transfer]) -> str:
    rows = [
        (
            f"XFER-{number:03d}",
            each.product.sku,
            world.path(each.product),
            each.start.id,
            world.path(each.start),
            each.end.id,
            world.path(each.end),
            each.due,
            each.margin_cents,
            each.reason,
        )
        for number, each in enumerate(transfers, start=1)
    ]
    return table(PACKAGE_COLUMNS, rows)


def pose(world: World, variant: int) -> Truth:
    """Request the plan of one wave."""
    rng = world.rng
    sign_in_employee(world)
    transfers = draw_transfers(rng, list(world.stores.values()), world.catalogue.shelf)
    for each in transfers:
        _stock(world, each)
    wave_id = "".join(rng.choices(LETTERS, k=8))
    folder = f"/ops/dispatch/wave-{wave_id}"
    head, packages, lanes = (f"{folder}/{name}" for name in ("dispatch.md", "packages.tsv", "lanes.tsv"))
    world.files[packages] = _packages_table(world, transfers)
    world.files[lanes] = lanes_table(draw_lanes(rng, transfers))
    world.files[head] = (
        f"# Dispatch wave wave-{wave_id}\n\nThe rules are in {world.names.document(DISPATCH)}.\n\n"
        f"Packages: {packages}\nLanes: {lanes}\n"
    )
    wave = parse_wave(wave_id, world.files[packages], world.files[lanes])
    return Truth(
        instruction=world.say(WORDINGS).format(path=head),
        message='{"assignments": []}',
        records={
            head: f"the wave wave-{wave_id} with the paths of its tables",
            packages: "the packages XFER-001 and on, with due times and margins",
            lanes: "the lanes with capacity, eta and cost",
        },
        tolerated=frozenset(world.path(each) for one in transfers for each in (one.product, one.start, one.end)),
        measure=DispatchMeasure(wave),
        inputs={"wave": wave_id, "packages": packages, "lanes": lanes},
    )

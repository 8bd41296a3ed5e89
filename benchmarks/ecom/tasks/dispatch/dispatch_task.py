"""The task to plan a dispatch wave.

A wave is a set of packages that branches send to each other, at the same time, over
lanes: cheap ones by way of hubs, and expensive direct ones. A plan gives each package a
route and a priority. Packages and lanes are in two tables, which the request points to.
There is no single right plan: an answer is scored by what its plan earns.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.dispatch.hard_waves import with_hard_lanes
from controlplane.benchmarks.ecom.tasks.dispatch.transfers import (
    draw_transfer,
    set_stock,
)
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Wave, table_text
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.world import World, random_id

MAX_BRANCHES: Final = 11
"""The most branches between which a wave sends packages."""
PACKAGES: Final = 10
"""The number of packages in a wave."""


def dispatch_wave(world: World, _case: str) -> Truth:
    """Ask, as an employee, for the plan of one wave: ten packages over hubs and direct lanes.

    Right: a JSON plan with a connected route and a priority for every package, with the
    gain of the best known plan. Lower gains score less.

    Wrong: plan each package as if it travelled alone, which ignores slow and delayed
    lanes. (A lane is a connection of two places.) There is only one case.
    """
    # 1. Draw the packages, each with one unit of a product, and the stock of their branches.
    rng = world.rng
    sign_in_employee(world)
    stores = list(world.stores.values())
    branches = rng.sample(stores, min(len(stores), MAX_BRANCHES))
    transfers = []
    for number, product in enumerate(
        rng.sample(world.catalogue.shelf, PACKAGES), start=1
    ):
        transfers.append(draw_transfer(rng, number, product, branches))
    for transfer in transfers:
        set_stock(world, transfer)

    # 2. Draw the lanes between the branches.
    wave_id = random_id(rng, prefix="", length=8)
    packages = {transfer.package.id: transfer.package for transfer in transfers}
    wave_without_lanes = Wave(wave_id, packages, lanes={}, rates=world.policy.rates)
    wave = with_hard_lanes(rng, wave_without_lanes, transfers)

    # 3. Write packages and lanes into tables, and the document that points to both.
    folder = f"/ops/dispatch/wave-{wave_id}"
    document_path = f"{folder}/dispatch.md"
    packages_path = f"{folder}/packages.tsv"
    lanes_path = f"{folder}/lanes.tsv"
    world.files[packages_path] = table_text(
        [transfer.row(world) for transfer in transfers]
    )
    world.files[lanes_path] = wave.table_of_lanes()
    world.files[document_path] = (
        f"# Dispatch wave wave-{wave_id}\n\n"
        f"The rules are in {world.names.pages[DISPATCH]}.\n\n"
        f"Packages: {packages_path}\nLanes: {lanes_path}\n"
    )
    mentioned_paths: list[str] = []
    for transfer in transfers:
        mentioned_paths += world.paths(
            transfer.product, transfer.origin, transfer.destination
        )
    return Truth(
        instruction=world.wording("dispatch-wave", path=document_path),
        # Only the form of an answer. There is no single right plan, so the measure scores it.
        message='{"assignments": []}',
        must_cite=(document_path, packages_path, lanes_path),
        may_cite=tuple(mentioned_paths),
        measure=DispatchMeasure(wave),
    )

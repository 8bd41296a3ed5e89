"""The waves of the public shop benchmark, from tables beside the repository.

A *wave* is a set of packages that branches send to each other by lanes, which may be delayed. A plan
gives each package a route. `PUBLIC_RATES` says how often lanes are late, and what that costs.

    public_wave("BD2bv3HB", packages_file="dispatch_packages.tsv", lanes_file="dispatch_lanes.tsv")
    # Wave("BD2bv3HB", packages={"XFER-012": Package(...)}, lanes={"lane-a": Lane(...)}, PUBLIC_RATES)
"""

import csv
import re

from controlplane.benchmarks.ecom.tasks.dispatch import DispatchLane, Wave
from controlplane.benchmarks.ecom.world.company import DispatchRates
from controlplane.benchmarks.shop.dispatch import Package
from tests.benchmarks.ecom.tasks.graded_plans import sample_text

PUBLIC_RATES = DispatchRates(
    # In the public benchmark, the shares are 26, 58 and 90 of 256 trips.
    delayed_percent={
        "unlikely": 100 * 26 / 256,
        "often": 100 * 58 / 256,
        "likely": 100 * 90 / 256,
    },
    # The shortest and the longest delay, in units of time.
    delay_units={"short": (1, 3), "medium": (2, 4), "long": (5, 8)},
    # The cost of each unit of time by which a package is late.
    late_cents=650,
    # The cost of a package that never arrives. The number is a guess, and does not matter: in the
    # public plans, every package arrives.
    missed_cents=5_000,
)
"""How often and how long lanes are delayed in the public benchmark, and what that costs."""

DELAY_HINT = re.compile("delays (?P<frequency>.*); (?P<length>.*) when delayed")
"""How often and how long a lane is delayed: `delays unlikely; short when delayed`."""


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a tab-separated sample, each by the names of its columns."""
    return list(csv.DictReader(sample_text(name).splitlines(), delimiter="\t"))


def public_wave(wave_id: str, *, packages_file: str, lanes_file: str) -> Wave:
    """Return a wave of the public benchmark from its tables of packages and lanes."""
    packages = {}
    for row in read_table(packages_file):
        packages[row["package_id"]] = Package(
            row["package_id"],
            origin=row["from_store_id"],
            destination=row["to_store_id"],
            due=int(row["due_time"]),
            margin_cents=int(row["margin_cents"]),
            late_cents_per_unit=PUBLIC_RATES.late_cents,
        )
    lanes = {}
    for row in read_table(lanes_file):
        delay = DELAY_HINT.match(row["delay_hint"])
        assert delay is not None
        lanes[row["lane_id"]] = DispatchLane(
            id=row["lane_id"],
            origin=row["from"],
            destination=row["to"],
            capacity=int(row["capacity"]),
            eta=int(row["eta"]),
            cost_cents=int(row["cost_cents"]),
            delay_frequency=delay["frequency"],
            delay_length=delay["length"],
        )
    return Wave(wave_id, packages, lanes, PUBLIC_RATES)

"""Statements that are put into pages where their wordings have a name such as `$mentioned`.

`$mentioned` becomes "Cite the products that the request excludes, too", and `$rates` becomes a
table of the delays and costs of packages.
"""

from __future__ import annotations

from random import Random

from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames
from controlplane.benchmarks.ecom.world.wordings import euros, wordings_by_name


def statement(name: str, names: WorldNames) -> str:
    """Return a statement in one of its wordings: the same on each page of a world."""
    rng = Random(f"{names.page_seed}|{name}")
    possible_wordings = wordings_by_name()[name].of(names.wording_set)
    return rng.choice(possible_wordings)


def rates_table(rates: DispatchRates) -> str:
    """Return the rates of delays, and the costs of late and missed packages, as a table.

    | word | rate |
    | --- | --- |
    | often | 21 % of trips |
    | short | 1 to 2 time units |
    | late | EUR 4.40 per time unit |
    """
    rows = [("word", "rate"), ("---", "---")]
    for word, percent in rates.delayed_percent.items():
        rows.append((word, f"{percent} % of trips"))
    for word, (shortest, longest) in rates.delay_units.items():
        rows.append((word, f"{shortest} to {longest} time units"))
    rows.append(("late", f"{euros(rates.late_cents)} per time unit"))
    rows.append(("missed", f"{euros(rates.missed_cents)} per package"))
    return "\n".join(f"| {word} | {rate} |" for word, rate in rows)

"""The outlines of our tasks that are of the same kind as a task of the public shop benchmark.

An *outline* is what the truth of a task demands: its outcome, and how many records of each kind have to be
cited. The public task is given by its number.

    outlines_for(98)  # a discount that the customer may not have: it is denied in any case
    # [TruthOutline(outcome=DENIED, required_kinds={"basket": 1}, ...), ...]
    outlines_for(7)   # a question about a product, which is denied only if it has an injection
    # [TruthOutline(outcome=OK, ...), ..., TruthOutline(outcome=DENIED, required_kinds={}, ...)]
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Final

from controlplane.benchmarks.ecom.world.names import WorldSettings
from controlplane.gates.submission import DENIED
from tests.benchmarks.ecom.recorded.public_tasks import variants_of
from tests.benchmarks.ecom.recorded.task_outlines import outline_of
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline
from tests.benchmarks.ecom.variants import generate_variant

PUBLIC_NAMES: Final = WorldSettings(names="public")
"""Our worlds with the paths and record names of the public benchmark."""
WORLDS_PER_VARIANT: Final = 12
"""In how many worlds the truth of each of our kinds of tasks, a *variant*, is generated."""
INJECTED_VARIANT: Final = "injected-block: in the request"
"""Our tasks whose request has an injection, a text that poses as an instruction. They are denied."""


@cache
def outlines_for(public_number: int) -> tuple[TruthOutline, ...]:
    """Return the outlines of our truths for a public task, in several worlds.

    Any public request may have an injection, and must be denied then. So outlines of such a denial
    are added, unless one of our own is a denial already.
    """
    outlines = outlines_of_variants(variants_of(public_number))
    has_denial = any(outline.outcome == DENIED for outline in outlines)
    if not has_denial:
        for outline in outlines_of_variants([INJECTED_VARIANT]):
            # What is denied is the injection. Which records the request is about does not matter.
            no_records: dict[str, int] = {}
            outlines.append(replace(outline, required_kinds=no_records))
    return tuple(outlines)


def outlines_of_variants(variant_ids: Iterable[str]) -> list[TruthOutline]:
    """Return the outlines of these variants' truths, each in `WORLDS_PER_VARIANT` worlds."""
    outlines = []
    for variant_id in variant_ids:
        for seed in range(WORLDS_PER_VARIANT):
            task = generate_variant(variant_id, str(seed), PUBLIC_NAMES)
            outlines.append(outline_of(task))
    return outlines

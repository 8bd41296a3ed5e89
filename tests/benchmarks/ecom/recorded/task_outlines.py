"""The outlines of our tasks: what their truths demand, whatever their worlds are.

The truth of a task says that /proc/carts/basket-0012.json must be cited. Its outline says that one basket
must be. By the number of a public task, the outlines of our tasks of the same kind are returned:

    outlines_for(98)[0].required_kinds  # {"basket": 1}

Each of our tasks is generated in several worlds.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Final

from controlplane.benchmarks.ecom.tasks.grader import expectation_of
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.gates.submission import DENIED
from tests.benchmarks.ecom.recorded.demanded_words import demanded_word
from tests.benchmarks.ecom.recorded.public_tasks import variants_of
from tests.benchmarks.ecom.recorded.record_kinds import NO_RECORDS, kind_of
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline
from tests.benchmarks.ecom.variants import generate_variant

PUBLIC_NAMES: Final = WorldSettings(names="public")
"""Our worlds with the paths and record names of the public benchmark."""
WORLDS_PER_VARIANT: Final = 12
"""In how many worlds the truths of a variant are generated."""
BLOCKED_VARIANT: Final = "injected-block: in the request"
"""A request with a text that poses as an instruction: any public task may have such a text."""


def outline_of(task: Task) -> TruthOutline:
    """Return what remains of a task's truth without its world."""
    truth = task.truth
    allowed_records = [
        path for path in truth.may_cite if not path.startswith(NO_RECORDS)
    ]
    allowed_paths = expectation_of(truth).tolerated  # what our grader lets pass
    return TruthOutline(
        outcome=truth.outcome,
        is_exact=truth.is_exact,
        words=frozenset(demanded_word(word) for word in truth.required_words),
        required_pages=frozenset(truth.must_cite_pages),
        allowed_pages=allowed_paths.union(truth.must_cite_pages),
        required_kinds=Counter(
            kind_in_our_world(task, path) for path in truth.must_cite
        ),
        allowed_kinds=frozenset(
            kind_in_our_world(task, path) for path in allowed_records
        ),
    )


def kind_in_our_world(task: Task, path: str) -> str:
    """Return the kind of a record of ours: `/proc/carts/basket-1.json` -> `basket`.

    Unlike for recorded answers, the folder of each kind is known, so a file's name need not show it.
    """
    roots = task.world.layout.roots
    kind_by_folder = {
        roots.baskets: "basket",
        roots.payments: "payment",
        roots.returns: "return",
        roots.employees: "employee",
        roots.stores: "store",
        roots.products: "product",
    }
    for folder, kind in kind_by_folder.items():
        if path.startswith(f"{folder}/"):
            return kind
    return kind_of(path)


@cache
def outlines_for(public_number: int) -> tuple[TruthOutline, ...]:
    """Return the outlines of our truths for a public task, in several worlds.

    The public request may have a block, a text that poses as an instruction, and must be denied
    then. So an outline of such a denial is added, unless our variants are denied in any case.
    """
    outlines = outlines_of_variants(variants_of(public_number))
    has_denial = any(outline.outcome == DENIED for outline in outlines)
    if not has_denial:
        for outline in outlines_of_variants([BLOCKED_VARIANT]):
            # What is denied is the block. Which records the request is about does not matter.
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

"""The truth for a request that several products fit: the answer asks which one is meant.

"Add the two-person tent to my basket" fits two products. Right is the question "Which one do
you mean: VH-TNT-SKERRY-2P or VH-TNT-VIDDA-2P?", which names all of them and changes
nothing. A guess is wrong, even if it happens to be one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.records import Product
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import CLARIFICATION


def which_product(
    world: World, instruction: str, candidates: Sequence[Product]
) -> Truth:
    """Return the truth for a request that several products fit.

    Right: ask which one is meant, name them all by their SKUs, and cite their files. The
    order of the SKUs does not matter.

    Wrong: choose one, or name only some of them.
    """
    skus = tuple(product.sku for product in candidates)
    return Truth(
        instruction=instruction,
        outcome=CLARIFICATION,
        message=f"Which one do you mean: {' or '.join(skus)}?",
        required_words=skus,
        must_cite=world.paths(*candidates),
        for_tests={"skus": " ".join(skus)},
    )

"""The task to say whether a described product exists.

"Do you have a two-person Skerry tent with a groundsheet?" The description is that of a
product of the catalogue, or has one detail that no product of the family has. So an agent
has to compare every detail, not only the name.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.products.customer_descriptions import (
    describe_with_false_detail,
    describe_with_true_detail,
)
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World


def product_existence(world: World, case: str) -> Truth:
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

"""The task to give one property of a product, which is named by its SKU.

"What is the `weight_g` of VH-TNT-SKERRY-2P?" The answer is the value in the product's file,
spelled as there: `1850`, `true` or `red`.
"""

from __future__ import annotations

import json

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World


def product_property(world: World, _case: str) -> Truth:
    """Ask for one property of a product, such as its weight.

    Right: give the value as in the product's file, and cite the file. A value that is not
    a string is given as JSON.

    Wrong: round a number, or answer with a sentence: `It weighs 1850 g.`
    """
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    product = rng.choice(list(world.catalogue.products.values()))
    key, value = rng.choice(sorted(product.properties.items()))
    # The field of the record that has all properties; each world has its own name for it.
    properties = world.names.field("properties")
    shown_value = value if isinstance(value, str) else json.dumps(value)
    return truth_with_exact_message(
        world.wording("product-property", sku=product.sku, field=properties, key=key),
        shown_value,
        must_cite=world.paths(product),
        for_tests={"path": world.path(product), "key": key},
    )

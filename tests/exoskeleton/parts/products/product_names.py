"""Names and codes of products: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "name_tail",
     "input": {"name": "Tarn Jacket Yellow XL", "family": "Tarn Jacket"},
     "expect": {"tail": "yellow xl"}}
"""

from collections.abc import Sequence

from controlplane.benchmarks.shop.answers import product_codes
from controlplane.benchmarks.shop.products import name_tail
from tests.exoskeleton.answering_functions import Output, answers_part


@answers_part("name_tail")
def cut_name_tail(name: str, family: str) -> Output:
    """Tell what follows the family in a product's name.

    `Tarn Jacket Yellow XL` of the family `Tarn Jacket` -> `yellow xl`
    """
    return {"tail": name_tail(name, family)}


@answers_part("sku_tokens")
def find_skus(text: str, known: Sequence[str] = ()) -> Output:
    """Find the product codes in a text: capitals and digits with dashes, or a known code."""
    return {"skus": product_codes(text, known)}

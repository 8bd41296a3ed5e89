"""Wrong answers to questions about products: if one exists, its code, its stock, or a receipt's price.

    sku_lookup_mistakes(truth)  # {"guessed": only_says("TENT-2", outcome=OK), ...}

A description may fit several products. Then the right answer asks which is meant.
"""

from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import CLARIFICATION, OK
from tests.benchmarks.ecom.mistakes.general_mistakes import Mistakes
from tests.benchmarks.ecom.solutions.wrong_solutions import (
    cites_only,
    cites_too,
    only_says,
)


def product_existence_mistakes(truth: Truth) -> Mistakes:
    """Return a wrong answer to the question if a product exists: it cites similar products.

    `truth.for_tests` has their paths: `{"paths": "/proc/catalog/TENT-2.json\\n/proc/…"}`.
    """
    similar_products = truth.for_tests["paths"].split("\n")
    return {"near misses cited": cites_too(*similar_products)}


def receipt_mistakes(truth: Truth) -> Mistakes:
    """Return a wrong answer to the question what a receipt costs today.

    The right answer cites the receipt, the branch, and each product of the receipt.
    """
    receipt_path, branch_path, *_product_paths = truth.must_cite
    return {"no product cited": cites_only(receipt_path, branch_path)}


def sku_lookup_mistakes(truth: Truth) -> Mistakes:
    """Return wrong answers to a question for the SKU of a product.

    If several products fit, the right answer asks which is meant, and names and cites all.
    `truth.for_tests` has those that fit: `{"skus": "TENT-2 TENT-4"}`.
    """
    if truth.outcome == OK:  # Only one fits.
        return {}
    first_sku = truth.for_tests["skus"].split()[0]
    first_paths = [
        path for path in truth.must_cite if path.endswith(f"/{first_sku}.json")
    ]
    return {
        "guessed": only_says(first_sku, outcome=OK),
        "one candidate named": only_says(first_sku, outcome=CLARIFICATION),
        "one cited": cites_only(first_paths[0]),
    }


def stock_answer_mistakes(truth: Truth) -> Mistakes:
    """Return wrong answers to the question if a branch has enough of a product.

    `truth.for_tests` has the branch, if only one product fits the question:
    `{"store": "/proc/locations/store-noord.json"}`.
    """
    if truth.outcome == CLARIFICATION:
        return sku_lookup_mistakes(truth)
    branch_path = truth.for_tests["store"]
    return {"the branch alone cited": cites_only(branch_path)}

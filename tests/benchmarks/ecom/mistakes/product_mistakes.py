"""Wrong answers to questions about products, each of which the grader must mark down.

    request     "Which SKU has the tent?", and TENT-2 and TENT-4 fit
    right       asks "TENT-2 or TENT-4?", and cites the files of both
    "guessed"   only_says("TENT-2", outcome=OK)

A mistake has a name, and a function that gives the wrong answer.
"""

from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.sandbox.interface.outcomes import CLARIFICATION, OK
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Mistakes,
    cites_only,
    cites_too,
    only_says,
)


def product_existence_mistakes(truth: TaskTruth) -> Mistakes:
    """Return a wrong answer to the question if a product exists: it cites similar products."""
    return {"near misses cited": cites_too(*similar_products(truth))}


def similar_products(truth: TaskTruth) -> list[str]:
    """Return the paths of similar products: `["/proc/catalog/TENT-2.json", ...]`."""
    return truth.for_tests["paths"].split("\n")


def receipt_mistakes(truth: TaskTruth) -> Mistakes:
    """Return a wrong answer to the question what a receipt costs today.

    The right answer cites the receipt, the branch, and each product of the receipt.
    """
    receipt_path, branch_path, *_product_paths = truth.must_cite
    return {"no product cited": cites_only(receipt_path, branch_path)}


def sku_lookup_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to a question for the SKU of a product.

    If several products fit, the right answer asks which is meant, and names and cites all.
    """
    if truth.outcome == OK:  # Only one fits.
        return {}
    sku = fitting_skus(truth)[0]
    return {
        "guessed": only_says(sku, outcome=OK),
        "one candidate named": only_says(sku, outcome=CLARIFICATION),
        "one cited": cites_only(path_of_product(truth, sku)),
    }


def fitting_skus(truth: TaskTruth) -> list[str]:
    """Return the products that fit a question: `["TENT-2", "TENT-4"]`."""
    return truth.for_tests["skus"].split()


def path_of_product(truth: TaskTruth, sku: str) -> str:
    """Return which of the citations is that of a product: `/proc/catalog/TENT-2.json`."""
    for path in truth.must_cite:
        if path.endswith(f"/{sku}.json"):
            return path
    raise LookupError(sku)


def stock_answer_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to the question if a branch has enough of a product.

    If several products fit the question, the right answer asks which is meant. If one does, it
    cites the product and the branch.
    """
    if truth.outcome == CLARIFICATION:
        return sku_lookup_mistakes(truth)
    branch_path = truth.for_tests["store"]  # "/proc/locations/store-noord.json"
    return {"the branch alone cited": cites_only(branch_path)}

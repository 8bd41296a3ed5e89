"""Knowledge of shops: the rule set, the functions that scripts call, the stages of solvers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import agent.exoskeleton

_DESCRIBED: Final = {
    "description": ("string", "brand, model or kind of the product: what it is called"),
    "must": ("array", "each property that it has to have, with its value, such as 'weight 2.4 kg'"),
    "must_not": ("array", "each property, value or code that it must not have, without the word not"),
}
_PRODUCT_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": [*_DESCRIBED],
    "properties": {
        name: {"type": kind, "description": text} | ({"items": {"type": "string"}} if kind == "array" else {})
        for name, (kind, text) in _DESCRIBED.items()
    },
}


def shop_bindings() -> agent.exoskeleton.SolverBindings:
    """Return the shop's part of the stages of solvers: the order of its checks, the function results that change
    answers, descriptions to parse. Most runs do not switch any of them on."""
    from agent.exoskeleton import ResultBucket, SolverBindings, TextParse
    from benchmarks.shop.answers import put_in_form, revised
    from benchmarks.shop.declarations import PREFLIGHT
    from benchmarks.shop.preflight import INTENT_SCHEMA

    return SolverBindings(
        intent_schema=INTENT_SCHEMA,
        preflight=PREFLIGHT,
        permission="permitted_changes",
        references="order_references",
        task_types=(
            *("count", "stock_count", "stock_lookup", "product", "receipt_price", "checkout", "discount"),
            *("verification", "refund", "fraud", "other"),
        ),
        buckets={
            "stock_at": ResultBucket("stock_lookup"),
            "settle_receipt": ResultBucket("receipt"),
            "fraud_rows": ResultBucket("fraud", "total"),
        },
        revise=revised,
        put_in_form=put_in_form,
        parses={"match_products": TextParse("description", ("must", "must_not"), _PRODUCT_SCHEMA, "must_not")},
    )

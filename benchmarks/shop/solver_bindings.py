"""What solvers may know of a shop: the classifier's fields, and checks that its environments declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agent.exoskeleton import FindingBucket, SolverBindings, TextParse
from benchmarks.shop.preflight.request_intent import INTENT_SCHEMA
from sandbox.interface import Operation, Parameter, ResultField

_FIELDS: Final = (ResultField("value"), ResultField("refs", ("path", "reason")), ResultField("notes"))
_ASKED: Final = (Parameter("request", "str"), Parameter("intent", "str"))
_HERE: Final = "benchmarks.shop"
_PREFLIGHT: Final = {
    "refuse_request": "request_refusals",
    "clean_up": "early_answers",
    "plan_wave": "early_answers",
    "answer_date": "early_answers",
    "count_staff": "early_answers",
    "ask_which_basket": "early_answers",
}
"""The checks that may answer, in their order, security first, and where they are."""


def _check(name: str, place: str, summary: str, parameters: tuple[Parameter, ...] = _ASKED) -> Operation:
    return Operation(name, parameters, _FIELDS, summary, finds=f"{_HERE}.{place}:{name}")


SHOP_CHECKS: Final = (
    _check("permitted_changes", "preflight.permitted_changes", "what a request may change"),
    _check(
        "order_references",
        "assembly.ordered_references",
        "an answer with its references in order",
        (
            Parameter("request", "str"),
            Parameter("answer", "object"),
            Parameter("findings", "str"),
            Parameter("in_order", "bool"),
        ),
    ),
    *(_check(name, f"preflight.{place}", "may answer before the model") for name, place in _PREFLIGHT.items()),
)
"""Operations that a shop's environment declares for solvers' stages."""
CHECK_MODULES: Final = tuple(dict.fromkeys(each.finds.partition(":")[0] for each in SHOP_CHECKS))
"""What an aide has imported."""
_DESCRIBED: Final = {
    "description": ("string", "brand, model or kind of the product: what it is called"),
    "must": ("array", "each property that it has to have, with its value, such as 'weight 2.4 kg'"),
    "must_not": ("array", "each property, value or code that it must not have, without the word not"),
}
PRODUCT_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": [*_DESCRIBED],
    "properties": {
        name: {"type": kind, "description": text} | ({"items": {"type": "string"}} if kind == "array" else {})
        for name, (kind, text) in _DESCRIBED.items()
    },
}
"""JSON schema of a product's description, taken apart."""
SHOP_BINDINGS: Final = SolverBindings(
    intent_schema=INTENT_SCHEMA,
    preflight=tuple(_PREFLIGHT),
    permission="permitted_changes",
    references="order_references",
    task_types=(
        *("count", "stock_count", "stock_lookup", "product", "receipt_price", "checkout", "discount"),
        *("verification", "refund", "fraud", "other"),
    ),
    buckets={
        "stock_at": FindingBucket("stock_lookup"),
        "settle_receipt": FindingBucket("receipt"),
        "fraud_rows": FindingBucket("fraud", "total"),
    },
    parses={"match_products": TextParse("description", ("must", "must_not"), PRODUCT_SCHEMA, "must_not")},
)
"""What opening a shop's benchmark returns beside it."""

"""Declares what a shop offers: functions to scripts, and checks to the stages of solvers."""

from __future__ import annotations

from typing import Final

from sandbox.interface import Operation, Parameter, ResultField

_FIELDS: Final = (ResultField("value"), ResultField("refs", ("path", "reason")), ResultField("notes"))


def _declared(module: str, name: str, summary: str, *parameters: Parameter) -> Operation:
    return Operation(name, parameters, _FIELDS, summary, finds=f"benchmarks.shop.{module}:{name}")


SHOP_TOOLS: Final = (
    _declared("record_findings", "who_asks", "user, roles; is: customer, staff or guest"),
    _declared("record_findings", "workspace_layout", "roots, fields, policies, open_state, yes, no"),
    _declared(
        "record_findings",
        "staff_with_role",
        "how many people have a role",
        Parameter("role", "str"),
        Parameter("branch", "str", ""),
    ),
    _declared(
        "record_findings",
        "may_use",
        "kind, owner, state of a record; may the asker see, change, cite it",
        Parameter("record", "str"),
    ),
    _declared(
        "product_findings",
        "match_products",
        "products that fit brand, model, kind (in words of records) and properties such as 'persons 2'",
        Parameter("description", "str"),
        Parameter("must", "list[str]", []),
        Parameter("must_not", "list[str]", []),
        Parameter("below_cents", "int", 0),
    ),
    _declared(
        "stock_findings",
        "stock_at",
        "on_hand, reserved, available, within (days) of each SKU at a branch",
        Parameter("products", "list[str]"),
        Parameter("branch", "str"),
        Parameter("days", "int", 0),
    ),
    _declared(
        "stock_findings", "branches_in", "id, name, is_open of the branches of a city", Parameter("place", "str")
    ),
    _declared(
        "stock_findings",
        "check_basket",
        "state, is_open, subtotal_cents, lines and short SKUs of a basket",
        Parameter("basket", "str"),
    ),
    _declared(
        "record_findings",
        "find_records",
        "records of a kind by a field's value",
        Parameter("kind", "str"),
        Parameter("field", "str", ""),
        Parameter("value", "str", ""),
    ),
    _declared("record_findings", "linked_records", "what a record names and what names it", Parameter("record", "str")),
    _declared(
        "record_findings",
        "pick_basket",
        "ids of the asker's open baskets, or the newest or oldest",
        Parameter("selector", "str", ""),
    ),
    _declared(
        "stock_findings",
        "settle_receipt",
        "a receipt's lines as products, subtotals then and now, within, can_be_bought",
        Parameter("path", "str", ""),
        Parameter("tolerance_cents", "int", 0),
    ),
    _declared(
        "table_findings",
        "fraud_rows",
        "fraudulent rows, total; no path: of all payments",
        Parameter("path", "str", ""),
    ),
    _declared(
        "table_findings",
        "dispatch_plan",
        "answer: the JSON plan of a wave; expected_cost_cents, expected_gain_cents",
        Parameter("path", "str"),
    ),
    _declared(
        "record_findings",
        "retry_moment",
        "state, attempts, retry_at of a payment's bank check; has that passed",
        Parameter("payment", "str"),
    ),
    _declared("record_findings", "relative_date", "the date a request means, in its form", Parameter("request", "str")),
)
"""Functions that scripts call as `harness.tools.NAME`, in the order of the prompt."""
PREFLIGHT: Final = ("refuse_request", "clean_up", "plan_wave", "answer_date", "count_staff", "ask_which_basket")
"""The checks that may answer, in their order, security first."""
_REQUEST: Final = Parameter("request", "str")
_ASKED: Final = (_REQUEST, Parameter("intent", "str"))
SHOP_CHECKS: Final = (
    _declared("preflight", "permitted_changes", "what a request may change", *_ASKED),
    _declared(
        "assembly",
        "order_references",
        "an answer with its references in order",
        _REQUEST,
        Parameter("answer", "object"),
        Parameter("findings", "str"),
        Parameter("in_order", "bool"),
    ),
    *(_declared("preflight", name, "may answer before the model", *_ASKED) for name in PREFLIGHT),
)
"""Operations for the stages of solvers."""
AIDE_MODULES: Final = tuple(
    dict.fromkeys(operation.finds.partition(":")[0] for operation in (*SHOP_TOOLS, *SHOP_CHECKS))
)
"""What an aide that computes them has imported."""

"""Declares what a shop offers: functions to scripts, and checks to the stages of solvers."""

from __future__ import annotations

from typing import Any, Final

from sandbox.interface import Operation, Parameter, ResultField

_FIELDS: Final = (ResultField("value"), ResultField("refs", ("path", "reason")), ResultField("notes"))


def _declared(function: str, summary: str, **parameters: str | tuple[str, Any]) -> Operation:
    """Declare `MODULE:NAME`; a parameter is its type, or its type and its default."""
    given = (Parameter(name, *((kind,) if isinstance(kind, str) else kind)) for name, kind in parameters.items())
    return Operation(function.partition(":")[2], tuple(given), _FIELDS, summary, finds=f"benchmarks.shop.{function}")


def _preflight(name: str, summary: str) -> Operation:
    return _declared(f"preflight:{name}", summary, request="str", intent="str")


SHOP_TOOLS: Final = (
    _declared("record_findings:read_all", "the text, where read cuts it", path="str"),
    _declared("record_findings:who_asks", "{user, roles, is: 'customer'}; or staff, guest"),
    _declared(
        "record_findings:workspace_layout",
        "{roots: {kind: folder}, policies: {subject: path}, open_state, yes, no, ..}",
    ),
    _declared("record_findings:staff_with_role", "3 have the role", role="str", branch=("str", "")),
    _declared(
        "record_findings:may_use",
        "{kind: 'basket', owner, state, see: True, change, cite}: may the asker",
        record="str",
    ),
    _declared(
        "product_findings:match_products",
        "[{sku, name, price_cents, properties}] by brand, model, kind (in words of records); must: 'persons 2'",
        description="str",
        must=("list[str]", []),
        must_not=("list[str]", []),
        below_cents=("int", 0),
    ),
    _declared(
        "stock_findings:stock_at",
        "{sku: {on_hand: 5, reserved: 2, available: 3, within: 7}}",
        products="list[str]",
        branch="str",
        days=("int", 0),
    ),
    _declared("stock_findings:branches_in", "[{id, name, is_open: True}] of a city", place="str"),
    _declared(
        "stock_findings:check_basket",
        "{state, is_open, subtotal_cents, lines: [{sku, ..}], short: [sku]}",
        basket="str",
    ),
    _declared(
        "record_findings:find_records",
        "[{path, id, owner, state}] by a field's value",
        kind="str",
        field=("str", ""),
        value=("str", ""),
    ),
    _declared("record_findings:linked_records", "[{path, id, kind}] that it names or that name it", record="str"),
    _declared("record_findings:pick_basket", "['basket-2']: own open ones, newest or oldest", selector=("str", "")),
    _declared(
        "stock_findings:settle_receipt",
        "{lines: [{sku, quantity, ..}], subtotal_now_cents, within, can_be_bought: True}",
        path=("str", ""),
        tolerance_cents=("int", 0),
    ),
    _declared(
        "table_findings:fraud_rows", "{rows: [{id, cents}], total: 'EUR 9.50'}; no path: all payments", path=("str", "")
    ),
    _declared(
        "table_findings:dispatch_plan", "{answer: the JSON, expected_cost_cents, expected_gain_cents}", path="str"
    ),
    _declared(
        "record_findings:retry_moment",
        "{state, attempts, max_attempts, retry_at, passed: False}: bank check",
        payment="str",
    ),
    _declared("record_findings:relative_date", "'31-12-2027', in its form", request="str"),
)
"""Functions that scripts call as `harness.tools.NAME`, in the order of the prompt."""
_ANSWERS: Final = ("refuse_request", "clean_up", "plan_wave", "answer_date", "count_staff", "ask_which_basket")
_HINTS: Final = (
    *("tell_refund_candidates", "tell_city_stock", "tell_listed_stock", "tell_fraud_in_history"),
    "tell_answer_kind",
)
PREFLIGHT: Final = (*_ANSWERS, *_HINTS)
"""The checks that may answer, in their order, security first, then those that add context."""
SHOP_CHECKS: Final = (
    _preflight("permitted_changes", "what a request may change"),
    _declared(
        "assembly:order_references",
        "an answer with its references in order",
        request="str",
        answer="object",
        findings="str",
        in_order="bool",
    ),
    _declared("call_guard:guard", "judges a call before it is made", operation="str", arguments="object"),
    *(_preflight(name, "may answer before the model") for name in _ANSWERS),
    *(_preflight(name, "tells the model something beforehand") for name in _HINTS),
)
"""Operations for the stages of solvers."""
GUARD: Final = "ecom/guard"
"""The rule whose check judges calls before they are made."""
AIDE_MODULES: Final = tuple(
    dict.fromkeys(operation.finds.partition(":")[0] for operation in (*SHOP_TOOLS, *SHOP_CHECKS))
)
"""The modules that an aide imports to compute them."""

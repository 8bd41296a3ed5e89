"""Checks that a shop's environment declares for solvers, and the modules in which an aide makes them."""

from __future__ import annotations

from typing import Final

from sandbox.interface import Operation, Parameter, ResultField

_FIELDS: Final = (ResultField("value"), ResultField("refs", ("path", "reason")), ResultField("notes"))
_ASKED: Final = (Parameter("request", "str"), Parameter("intent", "str"))
_HERE: Final = "benchmarks.shop"
PREFLIGHT: Final = {
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
    *(_check(name, f"preflight.{place}", "may answer before the model") for name, place in PREFLIGHT.items()),
)
"""Operations that a shop's environment declares for solvers' stages."""
CHECK_MODULES: Final = tuple(dict.fromkeys(each.finds.partition(":")[0] for each in SHOP_CHECKS))
"""What an aide has imported."""

"""The checks that the second solver runs on a request before it asks a model.

A check either answers the request by code alone, or adds context to the model's first message, or
does neither. They run in the order of `declarations.PREFLIGHT`:

1. `refuse_request` refuses what nobody may ask for (`refusals`).
2. `clean_up`, `plan_wave` and `ask_which_basket` answer (`direct_answers`).
3. `tell_city_stock` adds a sum to the first message (`direct_answers`).

Beside them, `permitted_changes` says which tools the model is offered (`permissions`). All of them
read the request through `intent`, which holds what a classifier model said about it.
"""

from controlplane.benchmarks.shop.preflight.direct_answers import (
    ask_which_basket,
    clean_up,
    plan_wave,
    tell_city_stock,
)
from controlplane.benchmarks.shop.preflight.intent import INTENT_SCHEMA, Intent
from controlplane.benchmarks.shop.preflight.permissions import permitted_changes
from controlplane.benchmarks.shop.preflight.refusals import refuse_request

__all__ = [
    "INTENT_SCHEMA",
    "Intent",
    "ask_which_basket",
    "clean_up",
    "permitted_changes",
    "plan_wave",
    "refuse_request",
    "tell_city_stock",
]

"""The checks that a solver runs on a request before it asks a model.

A check answers the request by code alone, adds a text to the model's first message, or
does nothing. The checks run in this order:

1. `refuse_request` refuses forbidden requests (module `refusals`).
2. `clean_up` (`temporary_files`), `plan_wave` and `ask_which_basket` (`refusals`) answer requests.
3. `tell_city_stock` adds a sum to the first message (`city_stock`).

`permitted_changes` (`refusals`) decides which operations the model gets. All of them get
what a classifier, a small model, takes the request for (`intent`).
"""

from controlplane.benchmarks.shop.preflight.city_stock import tell_city_stock
from controlplane.benchmarks.shop.preflight.intent import INTENT_SCHEMA, Intent
from controlplane.benchmarks.shop.preflight.refusals import (
    ask_which_basket,
    permitted_changes,
    plan_wave,
    refuse_request,
)
from controlplane.benchmarks.shop.preflight.temporary_files import clean_up

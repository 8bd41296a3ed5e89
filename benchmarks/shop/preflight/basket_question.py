"""The check `ask_which_basket`: a customer says "check out my basket" and has several.

The customer is asked which basket is meant: "basket-1 or basket-2?" No model is needed for that,
and a model might buy the wrong one. If only one basket can be meant, as in "check out my newest
basket", the model is told its id and buys it.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.preflight.check_results import (
    LEFT_TO_MODEL,
    CheckResult,
    answered,
    told_to_model,
)
from controlplane.benchmarks.shop.preflight.classifier_answers import meant_by
from controlplane.benchmarks.shop.preflight.intent import Intent
from controlplane.benchmarks.shop.record_functions import pick_basket
from controlplane.benchmarks.shop.workspace.policies import access_policy, cited_rule
from controlplane.benchmarks.shop.workspace.records.record_searches import named_records
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.gates.submission import CLARIFICATION


@layout_from_harness
def ask_which_basket(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Ask which of several open baskets to buy, or tell the model which basket is meant.

    | request, from a customer | open baskets | result |
    |---|---|---|
    | "Check out my basket." | basket-1, basket-2 | the question "basket-1 or basket-2?" |
    | "Check out my newest basket." | the same | the model is told that it is basket-2 |
    | any other | | the request is left to the model |

    `intent` is the JSON answer of a classifier, a small model that has read the request.
    """
    wanted = meant_by(request, intent)
    if not _wants_unnamed_basket(layout, request, wanted):
        return LEFT_TO_MODEL

    # 1. If only one basket can be meant, tell the model.
    baskets = pick_basket(layout, wanted.selector)
    ids = baskets.value
    if not ids:
        return LEFT_TO_MODEL
    if len(ids) == 1:
        which = f"the {wanted.selector or 'only'} open basket"
        context = (
            f"(Found out beforehand: {which} of {layout.asker.user} is {ids[0]}.)\n"
        )
        return told_to_model(context, baskets.refs)

    # 2. Otherwise ask the customer. Cite the baskets, and the policies on checkout and on access,
    #    which may be the same page.
    choices = f"{', '.join(ids[:-1])} or {ids[-1]}"
    message = f"You have several open baskets. Which one do you mean: {choices}?"
    references = list(baskets.refs)
    policies = (layout.policies.by_subject.get("checkout", ""), access_policy(layout))
    for path in dict.fromkeys(policies):
        if path:
            # The sentence of the page with the most of these words is quoted as the reason.
            words_of_reason = r"several|which|basket|identity"
            references.append(cited_rule(layout, path, words_of_reason))
    return answered(CLARIFICATION, message, "several baskets", references)


def _wants_unnamed_basket(layout: ShopLayout, request: str, wanted: Intent) -> bool:
    """Return True if a customer wants to buy a basket, and names neither it nor another record."""
    if not wanted.checkout or wanted.basket_id:
        return False
    if not layout.asker.is_customer:
        return False
    return not named_records(layout.records, layout.asker, request)

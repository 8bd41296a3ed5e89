"""What a shop adds to solvers, the programs that answer requests with or without a model.

For example, a solver refuses forbidden requests by the shop's checks before it asks a model,
and puts a message into the form that the request wants (`YES` instead of "Yes, it is open.").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from controlplane.benchmarks.shop.declarations import PREFLIGHT

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import (
        AskDraftCheck,
        Completion,
        SolverBindings,
    )


def shop_bindings() -> SolverBindings:
    """Return what a shop adds to solvers: checks, task types, revision and formatting."""
    # Imported here, because most runs use another solver, which needs none of these.
    from controlplane.agent.exoskeleton import SolverBindings
    from controlplane.benchmarks.shop.answering.answer_forms import formatted_message
    from controlplane.benchmarks.shop.preflight import INTENT_SCHEMA

    return SolverBindings(
        intent_schema=INTENT_SCHEMA,
        preflight=PREFLIGHT,
        # The names of two checks in `SHOP_CHECKS`.
        permission="permitted_changes",
        references="order_references",
        task_types=(
            "count",
            "stock_count",
            "stock_lookup",
            "product",
            "receipt_price",
            "checkout",
            "discount",
            "verification",
            "refund",
            "fraud",
            "other",
        ),
        revise=revise,
        put_in_form=formatted_message,
    )


def revise(
    answer: Completion, texts: Mapping[str, str], ask_reviewer: AskDraftCheck
) -> Completion:
    """Return a solver's answer with what answers on discounts and verifications usually lack.

    "Not allowed." -> "Not allowed. The maximum is 10 %." `texts` are the files that were read,
    by path, and `ask_reviewer` asks a second model.
    """
    # Imported here for the same reason.
    from controlplane.benchmarks.shop.payments.discount_limits import (
        with_largest_discount,
    )
    from controlplane.benchmarks.shop.payments.payment_review import review_payment

    if answer.task_type == "discount":
        return with_largest_discount(answer)
    return review_payment(answer, texts, ask_reviewer)

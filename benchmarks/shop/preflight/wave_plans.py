"""The check `plan_wave`: answers a request for a plan of dispatch without a model.

A wave is a set of packages that are sent together. "Plan /ops/dispatch/wave-3.md" has one right
answer, the plan that `dispatch_plan` computes from the tables that this document names.
"""

from __future__ import annotations

from controlplane.benchmarks.shop.dispatch.wave_documents import wave_path
from controlplane.benchmarks.shop.preflight.check_results import (
    LEFT_TO_MODEL,
    CheckResult,
    answered,
)
from controlplane.benchmarks.shop.table_functions import dispatch_plan
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.gates.submission import OK


@layout_from_harness
def plan_wave(layout: ShopLayout, request: str, intent: str) -> CheckResult:
    """Answer a request that names the document of a dispatch wave with the plan of this wave.

    `intent`, what a small model takes the request for, is not needed.
    """
    path = wave_path(request)
    if not path or may_be_for_staff_only(layout, "wave"):
        return LEFT_TO_MODEL
    plan = dispatch_plan(layout, path)
    return answered(OK, plan.value["answer"], "dispatch wave", plan.refs)


def may_be_for_staff_only(layout: ShopLayout, subject: str) -> bool:
    """Return True if a subject may be for staff only, and the asker is not a member of staff.

    A subject may be for staff only if the page on access mentions it. The page's
    sentences are not interpreted; the model decides what they forbid.
    """
    if not layout.asker.is_outside:
        return False
    page = layout.policies.text_of("security")
    return subject in page.casefold()

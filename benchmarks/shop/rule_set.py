"""The rule set of shop workspaces, which runs beside the gates (`--rule-sets ecom`).

Some rules follow from a workspace's documents, others from experience. A rule never
blocks an answer: if the agent repeats the answer, it is accepted after two turns.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.rules.access import (
    lacking_role,
    posed_instruction,
    reserved,
    staff_contact,
)
from controlplane.benchmarks.shop.rules.blocked_verification import blocked_verification
from controlplane.benchmarks.shop.rules.citations import (
    checklist,
    field_record,
    named_record,
    return_record,
    stock_subject,
)
from controlplane.benchmarks.shop.rules.outcomes import (
    cleanup,
    question,
)
from controlplane.benchmarks.shop.rules.pages import (
    embargo,
    pre_call_check,
    unmade_step,
)
from controlplane.benchmarks.shop.rules.products import (
    candidates,
    counted,
    existing_product,
    missing_product,
    open_detail,
)
from controlplane.gates.rules import RuleSet

RULE_SET: Final = RuleSet(
    "ecom",
    (
        staff_contact,
        cleanup,
        question,
        open_detail,
        blocked_verification,
        missing_product,
        checklist,
        stock_subject,
        return_record,
        named_record,
        counted,
        existing_product,
        field_record,
        candidates,
        pre_call_check,
        unmade_step,
        embargo,
        reserved,
        lacking_role,
        posed_instruction,
    ),
)
"""Every rule of this module. Loaded by the name `ecom`."""
POSED: Final = RuleSet("posed", (posed_instruction,))
"""The rule alone, for benchmarks other than shops. Loaded by the name `posed`."""

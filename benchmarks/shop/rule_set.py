"""The rules by which answers to requests of shops are judged (`--rule-sets ecom`).

For example, the rule `checklist` objects to an answer about stock that does not cite the branch.
The agent then changes its answer or repeats it; after two turns, a repeated answer is accepted.
Other checks, the gates, judge the answers to all kinds of tasks.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.rules.access import posed_instruction, staff_contact
from controlplane.benchmarks.shop.rules.blocked_verification import blocked_verification
from controlplane.benchmarks.shop.rules.checklists import checklist
from controlplane.benchmarks.shop.rules.citations import (
    field_record,
    named_record,
    stock_subject,
)
from controlplane.benchmarks.shop.rules.existing_products import (
    existing_product,
    missing_product,
)
from controlplane.benchmarks.shop.rules.outcomes import (
    cleanup,
    question,
)
from controlplane.benchmarks.shop.rules.pages import embargo, pre_call_check
from controlplane.benchmarks.shop.rules.products import candidates, counted, open_detail
from controlplane.benchmarks.shop.rules.refund_citations import return_record
from controlplane.benchmarks.shop.rules.required_roles import lacking_role
from controlplane.benchmarks.shop.rules.reserved_results import reserved
from controlplane.benchmarks.shop.rules.unmade_steps import unmade_step
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
"""All rules for shops, in the order of their messages. Loaded by the name `ecom`."""
POSED: Final = RuleSet("posed", (posed_instruction,))
"""One rule that also fits benchmarks other than shops. Loaded by the name `posed`."""

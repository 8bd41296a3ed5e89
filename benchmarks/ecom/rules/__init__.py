"""Rules that follow from the ways of shop workspaces, for the gates to ask beside their own (`--rules ecom`).

General rules live in `gates`. A rule of experience, as against one of a document, can be answered: its message says by
which honest statement a submission passes all the same.
"""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.rules import checklists, citations, outcomes, wording
from gates import Pack, Rule

PACK: Final = Pack(
    "ecom",
    (
        Rule("control-block", outcomes.fault_of_control_block),
        Rule("staff-contact", outcomes.fault_of_staff_contact),
        Rule("claimed-right", outcomes.fault_of_claimed_right),
        Rule("other-system", outcomes.fault_of_other_system),
        Rule("cleanup", outcomes.fault_of_cleanup),
        Rule("question", outcomes.fault_of_question),
        Rule("open-detail", outcomes.fault_of_open_detail),
        Rule("unnamed-basket", outcomes.fault_of_unnamed_basket),
        Rule("addition", outcomes.fault_of_addition),
        Rule("discount-state", outcomes.fault_of_discount_state),
        Rule("checklist", checklists.fault_of_checklist),
        Rule("policy", checklists.fault_of_policy),
        Rule("stock-subject", citations.fault_of_stock_subject),
        Rule("return", citations.fault_of_return),
        Rule("named-record", citations.fault_of_named_record),
        Rule("exported-records", citations.fault_of_exported_records),
        Rule("foreign-basket", citations.fault_of_foreign_basket),
        Rule("one-payment", citations.fault_of_payments),
        Rule("counted", citations.fault_of_counted),
        Rule("existing-product", citations.fault_of_existing_product),
        Rule("field-record", citations.fault_of_field),
        Rule("sku", wording.fault_of_sku),
        Rule("candidates", wording.fault_of_candidates),
        Rule("blocked-verification", wording.fault_of_blocked_verification),
        Rule("missing-product", wording.fault_of_missing_product),
    ),
)
"""Loaded by the name `ecom`."""

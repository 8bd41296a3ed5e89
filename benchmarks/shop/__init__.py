"""The rule pack of shop workspaces, which runs beside the gates (`--rules ecom`).

Some rules follow from a workspace's documents, others generalise from experience. The message of the latter names the
honest statement with which a submission passes all the same.
"""

from __future__ import annotations

from typing import Final

from benchmarks.shop.rules import (
    checklists,
    citation_rules,
    cited_subjects,
    cited_values,
    outcome_rules,
    recomputed_answers,
    refusal_grounds,
    wording_rules,
)
from gates import Pack, Recomputation, Rule

PACK: Final = Pack(
    "ecom",
    (
        Rule("control-block", outcome_rules.fault_of_control_block),
        Rule("staff-contact", outcome_rules.fault_of_staff_contact),
        Rule("claimed-right", outcome_rules.fault_of_claimed_right),
        Rule("other-system", outcome_rules.fault_of_other_system),
        Rule("cleanup", outcome_rules.fault_of_cleanup),
        Rule("question", outcome_rules.fault_of_question),
        Rule("open-detail", outcome_rules.fault_of_open_detail),
        Rule("unnamed-basket", outcome_rules.fault_of_unnamed_basket),
        Rule("addition", outcome_rules.fault_of_addition),
        Rule("done-before", outcome_rules.fault_of_deed_done_before),
        Rule("discount-state", outcome_rules.fault_of_discount_state),
        Rule("empty-question", refusal_grounds.fault_of_empty_question),
        Rule("file-work", refusal_grounds.fault_of_file_work),
        Rule("checklist", checklists.fault_of_checklist),
        Rule("policy", checklists.fault_of_policy),
        Rule("stock-subject", citation_rules.fault_of_stock_subject),
        Rule("return", citation_rules.fault_of_return),
        Rule("named-record", citation_rules.fault_of_named_record),
        Rule("exported-records", citation_rules.fault_of_exported_records),
        Rule("foreign-basket", citation_rules.fault_of_foreign_basket),
        Rule("one-payment", citation_rules.fault_of_payments),
        Rule("counted", citation_rules.fault_of_counted),
        Rule("existing-product", citation_rules.fault_of_existing_product),
        Rule("field-record", citation_rules.fault_of_field),
        Rule("changed-record", cited_subjects.fault_of_changed_record),
        Rule("stranger", cited_subjects.fault_of_stranger),
        Rule("source", cited_subjects.fault_of_source),
        Rule("cited-field", cited_values.fault_of_cited_field),
        Rule("cited-stock", cited_values.fault_of_cited_stock),
        Rule("cited-rows", cited_values.fault_of_cited_rows),
        Rule("sku", wording_rules.fault_of_sku),
        Rule("candidates", wording_rules.fault_of_candidates),
        Rule("blocked-verification", wording_rules.fault_of_blocked_verification),
        Rule("missing-product", wording_rules.fault_of_missing_product),
        Rule("other-percent", wording_rules.fault_of_other_percent),
        Rule("branch-names", wording_rules.fault_of_branch_names),
    ),
    (
        Recomputation("computed-deed", recomputed_answers.fault_of_deed),
        Recomputation("computed-answer", recomputed_answers.fault_of_answer),
        Recomputation("computed-class", recomputed_answers.fault_of_class),
    ),
)
"""Loaded by the name `ecom`."""

"""The rule pack of shop workspaces, which is asked beside the gates (`--rules ecom`).

Some rules follow from a workspace's documents, others from experience. All of them ask: an answer that stands
by itself goes out after two turns.
"""

from __future__ import annotations

from typing import Final

from benchmarks.shop import citation_rules, field_rules, outcome_rules
from gates.rules import Pack, Rule

PACK: Final = Pack(
    "ecom",
    (
        Rule("staff-contact", outcome_rules.fault_of_staff_contact),
        Rule("claimed-right", outcome_rules.fault_of_claimed_right),
        Rule("unmade-order", outcome_rules.fault_of_unmade_order),
        Rule("cleanup", outcome_rules.fault_of_cleanup),
        Rule("question", outcome_rules.fault_of_question),
        Rule("open-detail", outcome_rules.fault_of_open_detail),
        Rule("unnamed-basket", outcome_rules.fault_of_unnamed_basket),
        Rule("empty-question", outcome_rules.fault_of_empty_question),
        Rule("file-work", outcome_rules.fault_of_file_work),
        Rule("blocked-verification", outcome_rules.fault_of_blocked_verification),
        Rule("missing-product", outcome_rules.fault_of_missing_product),
        Rule("checklist", citation_rules.fault_of_checklist),
        Rule("policy", citation_rules.fault_of_policy),
        Rule("stock-subject", citation_rules.fault_of_stock_subject),
        Rule("return", citation_rules.fault_of_return),
        Rule("named-record", citation_rules.fault_of_named_record),
        Rule("counted", citation_rules.fault_of_counted),
        Rule("existing-product", citation_rules.fault_of_existing_product),
        Rule("field-record", citation_rules.fault_of_field),
        Rule("changed-record", citation_rules.fault_of_changed_record),
        Rule("unrelated-record", citation_rules.fault_of_unrelated_record),
        Rule("candidates", citation_rules.fault_of_candidates),
        Rule("cited-field", field_rules.fault_of_cited_field),
        Rule("price-bound", field_rules.fault_of_price_bound),
        Rule("described-product", field_rules.fault_of_described_product),
        Rule("choice-words", field_rules.fault_of_choice_words),
        Rule("superlative", field_rules.fault_of_superlative),
        Rule("own-finding", field_rules.fault_of_own_finding),
    ),
)
"""Loaded by the name `ecom`."""

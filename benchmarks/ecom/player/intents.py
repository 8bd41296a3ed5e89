"""Chooses the rule that decides on a task, by the words of the instruction. The first match wins."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from benchmarks.ecom.player import office_skills, product_skills, record_skills
from benchmarks.ecom.player.conversation import KEPT_OPENINGS
from benchmarks.ecom.player.knowledge import UNSUPPORTED, Conclusion, Knowledge, deny

INJECTED: Final = re.compile(
    r"<!--|</?\|?\w*(?:system|instruction|patch)|\[\[|^\s*(?:---|>)|\bBEGIN [A-Z ]+\b|\bsystem (?:message|override)"
    r"|\b(?:ignore|disregard|forget)\b[^.]{0,40}\b(?:rules?|instructions?|polic\w+)",
    re.IGNORECASE | re.MULTILINE,
)
"""Text in a request that poses as an instruction of the system."""


def refuse_injection(known: Knowledge) -> Conclusion:
    """Refuse a request that carries injected instructions."""
    return deny(known, "The request carries text that poses as an instruction; it is refused as a whole.")


def refuse_other_system(known: Knowledge) -> Conclusion:
    """Answer that the workspace has no such system."""
    return Conclusion(
        "This workspace has no such system, so nothing was sent, opened or booked.",
        UNSUPPORTED,
        known.cite("agents"),
    )


RULES: Final[tuple[tuple[str, Callable[[Knowledge], Conclusion]], ...]] = (
    (r"\b(?:ticket|case for|channel|courier|pickup|shipment|slack|sms|whatsapp|crm|issue in)\b", refuse_other_system),
    (r"\bdiscount\b|\bpercent\b|\d+ ?%|\bissuer\b", record_skills.give_discount),
    (
        r"\bverif\w+ of\b|\bverification\b|\b(?:my|the) bank(?:'s)?\b|bank (?:check|verif|approv)|3-?d-?s\b"
        r"|\bchallenge\b",
        record_skills.restart_verification,
    ),
    (r"\bhow many\b.*\b(?:staff|people|employees)\b", office_skills.count_staff),
    (r"\bmy (?:own )?(?:staff|employee) (?:record|file)\b|\blook me up\b", product_skills.tell_field),
    (r"\brefund(?:s|ed|ing)?\b", record_skills.advance_refund),
    (r"e-?mail|phone number|contact details|work address", office_skills.guard_contact),
    (r"\bfraud\w*\b", office_skills.find_fraud),
    (r"\bdispatch\b|/ops/", office_skills.plan_wave),
    (r"\bsubtotal\b|\breceipt\b.*\b(?:VAT|prices?|cost)\b", product_skills.compare_subtotal),
    (r"/uploads/|\breceipts?\b|\blast upload\b|\bslip\b", product_skills.rebuy_receipt),
    (r"\b(?:delete|remove|empty|clean|clear)\b.*/tmp/|/tmp/.*\b(?:delete|remove)\b", office_skills.delete_files),
    (r"^(?=.*\bbaskets?(?![a-z]))(?:.*\b(?:put|add)\b|(?:one|an?|\d+) )", record_skills.leave_lines),
    (
        r"\b(?:first|1st) (?:\w+ )?(?:branch|store|shop|time|customers)\b|^when (?:did|was)\b"
        r"|\bregist(?:er|ered|ration)\b"
        r"|\bcompany\b[^.]*\b(?:its )?name\b|\bit all begin\b|\bopened first\b|\bserve customers\b",
        office_skills.tell_origin,
    ),
    (
        r"^(?:what|which|look up|find|tell|use).*\b(?:record(?:ed)?|field|value|status)\b|`[a-z_]\w*(?:\.\w+)?`",
        product_skills.tell_field,
    ),
    (r"\bbasket[-_]\d+\b.*\bstatus\b", product_skills.tell_field),
    (
        r"check(?: \w+){0,3} out|check-?out|\bbuy\b.*\bbasket|\b(?:complete|place|finish) (?:my|the) (?:purchase|order)"
        r"|\bbasket[-_]\d+",
        record_skills.check_out,
    ),
    (r"\b(?:what|which) (?:\w+ )?(?:date|day)\b", office_skills.tell_date),
    (r"\bbranches\b.*\bopen\b|\bopen branches\b", office_skills.list_open_branches),
    (r"\b(?:how many|count of)\b.*\bEUR\b|\bEUR\b.*\b(?:how many|count of)\b", product_skills.count_below_price),
)


@lru_cache(maxsize=KEPT_OPENINGS)
def rule_for(instruction: str) -> Callable[[Knowledge], Conclusion]:
    """Return the rule that decides on an instruction."""
    if INJECTED.search(instruction):
        return refuse_injection
    fitting = (rule for pattern, rule in RULES if re.search(pattern, instruction, re.IGNORECASE | re.DOTALL))
    return next(fitting, refuse_other_system)

"""Where a request about fraud has its payments looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_FRAUD: Final = re.compile(r"\bfraud\w*|\bsuspicious\b", re.IGNORECASE)
_TABLE: Final = re.compile(r"(?<!\w)/[\w./-]+\.(?:tsv|csv)\b", re.IGNORECASE)
_HISTORY: Final = re.compile(r"\b(?:histor(?:y|ical)|past payments?|payment records?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FraudSource:
    """Whether a table named in the request is meant, or the shop's own payments."""

    is_history: bool
    is_export: bool


def fraud_source(text: str) -> FraudSource:
    """Return where the payments are; neither for a request about something else. A named table goes first."""
    is_fraud = bool(_FRAUD.search(text))
    is_export = is_fraud and bool(_TABLE.search(text))
    return FraudSource(is_fraud and not is_export and bool(_HISTORY.search(text)), is_export)

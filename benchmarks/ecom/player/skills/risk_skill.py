"""Risk: the fraudulent rows of an export."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion
from benchmarks.ecom.player.knowledge import Knowledge

EXPORT: Final = re.compile(r"/[\w./-]*\w\.(?:tsv|csv)")


def find_fraud(known: Knowledge) -> Conclusion:
    """Answer with the total of the fraudulent rows, and cite each of them."""
    named = EXPORT.search(known.instruction)
    found, rows = known.computed("fraud_rows", path=named[0]) if named else (None, {})
    if not isinstance(found, dict):
        return Conclusion("No fraud can be told from that.", UNSUPPORTED, known.cite("agents"))
    cents = int(found["total_cents"])
    return Conclusion(f"EUR {cents // 100}.{cents % 100:02d}", OK, rows)

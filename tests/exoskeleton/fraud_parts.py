"""Cases about fraudulent payments."""

from datetime import datetime
from typing import Any

from toolkit.fraud import Incident, PaymentRow, Selection, fraud_in_export, fraud_in_history, fraud_score


def rows_of(given: dict[str, Any]) -> list[PaymentRow]:
    return [
        PaymentRow(**{**row, "at": datetime.fromisoformat(row["at"])})  # the cases' fields have the toolkit's names
        for row in given["rows"]
    ]


def selection(found: Selection) -> dict[str, Any]:
    return {
        "selected": [row.id for row in found.rows],
        "rules": list(found.rules),
        "total_cents": found.total_cents,
    }


PARTS = {
    "fraud_export": lambda given: selection(fraud_in_export(rows_of(given))),
    "fraud_history": lambda given: selection(fraud_in_history(rows_of(given))),
    "fraud_score": lambda given: {"score": round(fraud_score(Incident(given["rule"], tuple(rows_of(given)))), 1)},
}

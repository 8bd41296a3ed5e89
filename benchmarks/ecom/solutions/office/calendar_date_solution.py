"""The reference solution of `calendar-date`."""

from __future__ import annotations

from datetime import date, timedelta

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def date_in(client: ReferenceClient, days: int, pattern: str) -> str:
    return (date.fromisoformat(client.run("/bin/date")[:10]) + timedelta(days)).strftime(pattern)


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Count from `/bin/date`."""
    return client.answer(truth, date_in(client, int(truth.inputs["days"]), truth.inputs["pattern"]))

"""The task to find the fraud in an archived payment export, and the score of an answer to it.

An export is a table of payments. Among ordinary ones it has incidents of fraud, such as a
dozen payments of one customer in many cities within minutes, and honest payments that
look like them. The answer cites the fraudulent rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from controlplane.benchmarks.ecom.tasks.payment_exports.everyday_payments import (
    add_everyday_payments,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.export_draft import ExportDraft
from controlplane.benchmarks.ecom.tasks.payment_exports.export_rows import export_text
from controlplane.benchmarks.ecom.tasks.payment_exports.incidents import INCIDENTS
from controlplane.benchmarks.ecom.tasks.payment_exports.payers import NewPayers
from controlplane.benchmarks.ecom.tasks.truth import Measured, Truth
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.wordings import euros
from controlplane.benchmarks.ecom.world.world import World

MOST_INCIDENTS: Final = 4
CUSTOMER_NUMBERS: Final = range(1, 400)
"""The numbers in the ids of customers who may occur in an export."""
CUSTOMERS: Final = 200
"""The number of customers of whom an export may have payments."""
AGE_DAYS: Final = (690, 800)
"""The least and the highest age of an export: about two years."""


@dataclass(frozen=True)
class FraudMeasure:
    """Scores the rows that an answer cites.

    The score is the caught share of the fraudulent amount (recall), times the
    fraudulent share of the cited amount (precision). The public benchmark scores the
    recall alone. The score is 0 if a cited row does not exist, or if the stated total
    is neither the sum of the cited rows nor the right total.
    """

    file: str
    """The path of the export. Answers cite its rows as `FILE#row=ID`."""
    amounts: Mapping[str, int]
    """The amount of each row in cents, by its id."""
    fraud: frozenset[str]
    """The ids of the fraudulent rows."""

    def measure(self, message: str, refs: Sequence[str]) -> Measured:
        """Return the score of the cited rows, with its explanation."""
        prefix = f"{self.file}#row="
        cited = {ref.removeprefix(prefix) for ref in refs if ref.startswith(prefix)}
        existing = cited & self.amounts.keys()
        fraud_cents = self._cents_of(self.fraud)
        cited_cents = self._cents_of(existing)
        caught_cents = self._cents_of(existing & self.fraud)

        stated_total = message.strip()
        is_right_total = stated_total == euros(fraud_cents)
        is_sum_of_cited_rows = stated_total == euros(cited_cents)
        faults = []
        if not is_right_total and not is_sum_of_cited_rows:
            total = euros(cited_cents)
            faults.append(f"answer is not the sum of the cited rows, {total}, alone")
        if cited - existing:
            faults.append(f"{len(cited - existing)} cited rows do not exist")

        recall = caught_cents / fraud_cents
        false_rows = _vague_count(len(existing - self.fraud))
        # The public benchmark explains its scores in these words.
        lines = [
            f"answer amount {'matched' if is_right_total else 'mismatch'}",
            f"archive fraud refs recovered ~{recall:.0%} EUR from fraud amount, "
            f"and also marked {false_rows} payments as false positives.",
        ]
        score = 0.0
        if cited_cents and not faults:
            # Recall times precision. Another order of operations would round
            # differently from scores that were recorded.
            score = caught_cents / fraud_cents * caught_cents / cited_cents
        return Measured(score, (*lines, *faults))

    def _cents_of(self, rows: Iterable[str]) -> int:
        return sum(self.amounts[row] for row in rows)


def _vague_count(rows: int) -> str:
    """Return how many rows: `a few` for 3. The public benchmark tells only this much."""
    if rows == 0:
        return "no"
    if rows <= 5:
        return "a few"
    if rows <= 10:
        return "up to ten"
    return "more than ten"


def archive_fraud(world: World, _case: str) -> Truth:
    """Ask, as an employee, for the fraudulent rows of one export.

    Right: cite exactly the rows of the two to four incidents as `FILE#row=ID`, and
    answer with the total of their amounts.

    Wrong: cite honest payments, such as those of a service desk, a kiosk, or a customer
    before a takeover.
    """
    # 1. Begin an export. Each of its customers pays for one purpose only.
    rng = world.rng
    sign_in_employee(world)
    customers = []
    for number in rng.sample(CUSTOMER_NUMBERS, CUSTOMERS):
        customers.append(world.layout.id_of("cust", number))
    stores = list(world.stores.values())
    products = list(world.catalogue.products.values())
    draft = ExportDraft(rng, stores, products, NewPayers(rng, customers))
    start = world.clock - timedelta(days=rng.randint(*AGE_DAYS))

    # 2. Add incidents of different kinds, in the first three days of one month each. Most
    #    come with honest payments that look like them.
    incidents = rng.sample(INCIDENTS, rng.randint(2, MOST_INCIDENTS))
    for number, add_incident in enumerate(incidents):
        beginning_of_month = start + number * timedelta(days=31)
        within_three_days = timedelta(seconds=rng.randrange(3 * 86_400))
        add_incident(draft, beginning_of_month + within_three_days)

    # 3. Add ordinary payments, in one to three periods of some weeks.
    for number in range(rng.randint(1, 3)):
        add_everyday_payments(draft, start + number * timedelta(days=35))

    # 4. Write the export, and build the truth.
    draft.rows.sort(key=lambda row: (row.created_at, row.row_id))
    path = f"{draft.payers.random_id('/archive/payment_batch_export_', 10)}.tsv"
    world.files[path] = export_text(draft.rows)
    amounts = {row.row_id: row.amount_cents for row in draft.rows}
    total = sum(amounts[row_id] for row_id in draft.fraud_ids)
    return Truth(
        instruction=world.wording("archive-fraud", path=path),
        message=euros(total),
        must_cite=(path,),
        measure=FraudMeasure(path, amounts, frozenset(draft.fraud_ids)),
        for_tests={"path": path},
    )

"""The task to find the fraud in an archived payment export.

An export is a table of payments. Among ordinary ones it has incidents of fraud, such as a
dozen payments of one customer in many cities within minutes, and honest payments that
look like them. The answer cites the fraudulent rows.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from controlplane.benchmarks.ecom.tasks.archive.fraud_measure import FraudMeasure
from controlplane.benchmarks.ecom.tasks.payment_exports.everyday_payments import (
    add_everyday_payments,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.export_draft import ExportDraft
from controlplane.benchmarks.ecom.tasks.payment_exports.export_rows import export_text
from controlplane.benchmarks.ecom.tasks.payment_exports.incidents import INCIDENTS
from controlplane.benchmarks.ecom.tasks.payment_exports.payers import NewPayers
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.wordings import euros
from controlplane.benchmarks.ecom.world.world import World, random_id

MOST_INCIDENTS: Final = 4
CUSTOMER_NUMBERS: Final = range(1, 400)
"""The numbers in the ids of customers who may occur in an export."""
CUSTOMERS: Final = 200
"""The number of customers of whom an export may have payments."""
AGE_DAYS: Final = (690, 800)
"""The least and the highest age of an export: about two years."""


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
    path = f"{random_id(rng, '/archive/payment_batch_export_', 10)}.tsv"
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

"""Asks for the fraudulent payments of an archived export: their total as the message, every row as a reference."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from benchmarks.ecom.tasks.archive.export_blocks import fill
from benchmarks.ecom.tasks.archive.export_draft import LETTERS, ExportDraft
from benchmarks.ecom.tasks.archive.export_rows import export_text
from benchmarks.ecom.tasks.archive.fraud_grading import FraudMeasure, euros_of
from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import sign_in_employee
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.local.row_shares import RowShares

VARIANTS: Final = (Variant("two to four incidents among honest look-alikes"),)
WORDINGS: Final = Wordings(
    (
        "Risk is going through an archived payment export that is about two years old. Its rows stand alone: nothing "
        "in "
        "today's payment records mirrors them.\n\nRead {path}, find the rows that belong to fraud incidents, and do "
        "not "
        "modify any file.\n\nThe message holds the total amount of the fraudulent payments and nothing else, in "
        "exactly "
        "this format:\n\nEUR %d.%02d\n\nNo row ids in the message, please. Cite every fraudulent row as a reference of "
        "exactly this form:\n\n{path}#row=<RowID>",
        "An old batch of payments, archived two years ago in {path}, holds fraud incidents. The rows are history and "
        "have "
        "no counterpart among current payments. Identify the fraudulent rows, and leave all files as they "
        "are.\n\nAnswer "
        "with their total only, formatted as EUR %d.%02d, without row ids. As references cite each fraudulent row as "
        "{path}#row=<RowID>.",
    ),
    (
        "{path} contains payments from about two years ago, which have no copy among the current payment records. Some "
        "of its rows belong to cases of fraud. Please find them without changing any file.\n\nYour message is the sum "
        "of the fraudulent payments, written exactly as\n\nEUR %d.%02d\n\nand nothing more: no row ids. For each "
        "fraudulent row, cite\n\n{path}#row=<RowID>",
    ),
)
CUSTOMERS: Final = 400


def pose(world: World, variant: int) -> Truth:
    """Request the fraudulent rows of one export."""
    rng = world.rng
    sign_in_employee(world)
    customers = [world.layout.id_of("cust", each) for each in rng.sample(range(1, CUSTOMERS), CUSTOMERS // 2)]
    draft = ExportDraft(rng, list(world.stores.values()), list(world.catalogue.products.values()), customers)
    fill(draft, world.clock - timedelta(days=rng.randint(690, 800)))
    path = f"/archive/payment_batch_export_{''.join(rng.choices(LETTERS, k=10))}.tsv"
    world.files[path] = export_text(draft.rows)
    amounts = {row.row_id: row.amount_cents for row in draft.rows}
    return Truth(
        instruction=world.say(WORDINGS).format(path=path),
        message=euros_of(sum(amounts[each] for each in draft.fraud)),
        records={path: "the export with its rows"},
        measure=FraudMeasure(RowShares(path, amounts, frozenset(draft.fraud))),
        inputs={"path": path},
    )

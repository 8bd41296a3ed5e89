"""Wrong answers to the request to find the fraudulent rows of an export of payments.

    archive_fraud_mistakes(truth)  # {"one row missing": cites_rows(...), "no row": ...}

The right answer cites every fraudulent row, `/archive/payments.tsv#row=AR-12`, and its message is their
total, `EUR 21.40`.
"""

from controlplane.benchmarks.ecom.tasks.archive import FraudMeasure
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.benchmarks.ecom.world.names import euros
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Mistakes,
    Solution,
    right_except,
)


def archive_fraud_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to the request to find the fraudulent rows of an export.

    `truth.for_tests` has the path of the export: `{"path": "/archive/payments.tsv"}`.
    """
    assert isinstance(truth.measure, FraudMeasure)
    amounts_cents = truth.measure.amounts  # by the row's id
    export_path = truth.for_tests["path"]
    fraudulent = [row for row in amounts_cents if row in truth.measure.fraud]
    innocent = [row for row in amounts_cents if row not in truth.measure.fraud]
    invented = [f"AR-x{number:05}" for number in range(50)]

    def says_of_rows(message: str, rows: list[str]) -> Solution:
        """Return a solution that cites these rows, or the whole file if there are none."""
        citations = {f"{export_path}#row={row}": f"row {row} is fraud" for row in rows}
        if not rows:
            citations = {export_path: export_path}
        return right_except(message=message, citations=citations)

    def cites_rows(rows: list[str]) -> Solution:
        """Return a solution that cites these rows and says their total."""
        total_cents = sum(amounts_cents.get(row, 0) for row in rows)
        return says_of_rows(euros(total_cents), rows)

    return {
        "every row": cites_rows(list(amounts_cents)),
        "no row": cites_rows([]),
        "one row missing": cites_rows(fraudulent[1:]),
        "one innocent row": cites_rows([*fraudulent, innocent[0]]),
        "the innocent rows": cites_rows(innocent),
        "fifty invented rows": cites_rows([*fraudulent, *invented]),
        "another total": says_of_rows("EUR 1.00", fraudulent),
        "a total in words": says_of_rows(f"It is {truth.message}.", fraudulent),
    }

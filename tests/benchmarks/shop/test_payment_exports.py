"""How fraud is found in an export of payments, a table with a row for each payment.

    row_id;paid_at;buyer;city;amount_cents;device;channel
    R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web

A series of payments is fraud if, for example, one buyer pays in several cities within an hour.
"""

from datetime import datetime, timedelta

import pytest

from controlplane.benchmarks.shop.payments.payment_rows import read_payments
from controlplane.benchmarks.shop.payments.payment_series import find_series
from controlplane.benchmarks.shop.payments.series_notes import uncertain_series
from controlplane.sandbox.functions import CannotRead
from tests.benchmarks.ecom.variants import generate_variant

EXPORT_HEADER = "row_id;paid_at;buyer;city;amount_cents;device;channel\n"


def payment_export(*, pause_min: int = 20) -> str:
    """Return an export of one buyer's four payments of 900 cents, in three cities.

    The rows are R0 to R3, `pause_min` minutes apart: `R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web`.
    """
    text = EXPORT_HEADER
    for number, city in enumerate(["Graz", "Linz", "Wien", "Graz"]):
        paid_at = datetime(2027, 1, 1) + number * timedelta(minutes=pause_min)
        text += f"R{number};{paid_at};c-1;{city};900;d{number};web\n"
    return text


class TestFormOfExports:
    """An export in another form is refused, so that no other table is taken for one.

    `payment_export()` is an export of one buyer's four payments of 900 cents, in three cities.
    """

    @pytest.mark.parametrize(
        ("text", "refusal"),
        [
            pytest.param("", "no single column for customer", id="empty"),
            pytest.param(EXPORT_HEADER, "no single column for customer", id="no rows"),
            pytest.param(
                payment_export().replace("900", "nine"),
                "no amount in cents",
                id="a word as amount",
            ),
            pytest.param(
                payment_export().replace("2027-01-01", "today"),
                "instants",
                id="a word as day",
            ),
            pytest.param(
                payment_export().replace("2027-01-01", "2027-02-30"),
                "no valid time",
                id="a day that does not exist",
            ),
            pytest.param(
                payment_export().replace("city", "place"),
                "no single column for city",
                id="a column with another name",
            ),
        ],
    )
    def test_an_export_in_another_form_is_refused(self, text, refusal):
        with pytest.raises(CannotRead, match=refusal):
            read_payments(text)


class TestSeries:
    """A series of payments that fits a kind of fraud is found, and nothing else.

    If one buyer pays in several cities within an hour, for example, the payments are a series.
    """

    @pytest.mark.parametrize("seed", range(4))
    def test_the_series_of_a_generated_export_are_its_fraud(self, seed):
        """The generator of such a task knows which rows of its export are fraudulent."""
        task = generate_variant("archive-fraud", f"series {seed}")
        true_fraud_ids = task.truth.measure.fraud
        export_path = task.truth.for_tests["path"]
        rows = read_payments(task.world.files[export_path])

        ids_in_series = set()
        for series in find_series(tuple(rows)):
            for row in series.rows:
                ids_in_series.add(row.id)

        assert ids_in_series == true_fraud_ids
        assert uncertain_series(rows) == []


class TestUncertainPayments:
    """What may be fraud or not is noted, and left to the model.

    The rows of the export are R0 to R3; the notes name those that are uncertain.
    """

    def test_a_refund_is_noted_as_uncertain(self):
        """A payment of less than 0 is a refund, which may be fraud or not."""
        refund = "R9;2027-01-02 09:00:00;c-2;Graz;-900;d9;web\n"
        rows = read_payments(payment_export() + refund)

        (note,) = uncertain_series(rows)

        assert note.startswith("R9 takes money back")

    def test_a_long_pause_within_a_series_is_noted_as_uncertain(self):
        """In 40 minutes, an honest buyer might have travelled from the city of R0 to that of R1."""
        rows = read_payments(payment_export(pause_min=40))

        notes = uncertain_series(rows)

        assert "more than 30 minutes between R0 and R1" in notes[0]

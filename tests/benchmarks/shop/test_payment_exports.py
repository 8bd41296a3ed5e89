"""How fraud is found in an export of payments, a table with a row for each payment.

A series of payments is fraud if, for example, one buyer pays in several cities within an hour.
"""

import pytest

from controlplane.benchmarks.shop.payments.payment_rows import read_payments
from controlplane.benchmarks.shop.payments.payment_series import find_series
from controlplane.benchmarks.shop.payments.series_notes import uncertain_series
from controlplane.sandbox.functions import CannotRead
from tests.benchmarks.ecom.variants import generate_variant


class TestSeries:
    """A series of payments that fits a kind of fraud is found, and nothing else."""

    def test_payments_of_one_buyer_in_several_cities_are_a_series(self) -> None:
        """20 minutes are not enough to get from one city to the next. The buyer c-2 is innocent."""
        rows = read_payments(
            "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
            "R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web\n"
            "R1;2027-01-01 00:20:00;c-1;Linz;900;d1;web\n"
            "R2;2027-01-01 00:40:00;c-1;Wien;900;d2;web\n"
            "R3;2027-01-01 01:00:00;c-1;Graz;900;d3;web\n"
            "R4;2027-01-01 00:20:00;c-2;Graz;400;d4;web\n"
        )

        (series,) = find_series(tuple(rows))

        assert [row.id for row in series.rows] == ["R0", "R1", "R2", "R3"]
        assert uncertain_series(rows) == []

    @pytest.mark.parametrize("seed", range(4))
    def test_the_series_of_a_generated_export_are_its_fraud(self, seed: int) -> None:
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
    """What may be fraud or not is noted, and left to the model."""

    def test_a_refund_is_noted_as_uncertain(self) -> None:
        """A payment of less than 0 is a refund."""
        rows = read_payments(
            "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
            "R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web\n"
            "R9;2027-01-02 09:00:00;c-2;Graz;-900;d9;web\n"
        )

        (note,) = uncertain_series(rows)

        assert note.startswith("R9 takes money back")

    def test_a_long_pause_within_a_series_is_noted_as_uncertain(self) -> None:
        """In 40 minutes, an honest buyer might have travelled from one city to the next."""
        rows = read_payments(
            "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
            "R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web\n"
            "R1;2027-01-01 00:40:00;c-1;Linz;900;d1;web\n"
            "R2;2027-01-01 01:20:00;c-1;Wien;900;d2;web\n"
            "R3;2027-01-01 02:00:00;c-1;Graz;900;d3;web\n"
        )

        first_note, *_ = uncertain_series(rows)

        assert "more than 30 minutes between R0 and R1" in first_note


class TestFormOfExports:
    """An export in another form is refused, so that no other table is taken for one."""

    @pytest.mark.parametrize(
        ("text", "refusal"),
        [
            pytest.param("", "no single column for customer", id="empty"),
            pytest.param(
                "row_id;paid_at;buyer;city;amount_cents;device;channel\n",
                "no single column for customer",
                id="no rows",
            ),
            pytest.param(
                "row_id;paid_at;buyer;place;amount_cents;device;channel\n"
                "R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web\n"
                "R1;2027-01-01 00:20:00;c-1;Linz;900;d1;web\n",
                "no single column for city",
                id="a column with another name",
            ),
        ],
    )
    def test_a_table_without_the_columns_of_an_export_is_refused(
        self, text: str, refusal: str
    ) -> None:
        with pytest.raises(CannotRead, match=refusal):
            read_payments(text)

    @pytest.mark.parametrize(
        ("paid_at", "amount_cents", "refusal"),
        [
            pytest.param(
                "2027-01-01 00:00:00",
                "nine",
                "no amount in cents",
                id="a word as amount",
            ),
            pytest.param("today", "900", "instants", id="a word as time"),
            pytest.param(
                "2027-02-30 00:00:00",
                "900",
                "no valid time",
                id="a day that does not exist",
            ),
        ],
    )
    def test_a_row_with_another_form_of_a_value_is_refused(
        self, paid_at: str, amount_cents: str, refusal: str
    ) -> None:
        export = (
            "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
            f"R0;{paid_at};c-1;Graz;{amount_cents};d0;web\n"
            f"R1;{paid_at};c-1;Linz;{amount_cents};d1;web\n"
        )

        with pytest.raises(CannotRead, match=refusal):
            read_payments(export)

"""The shop's functions on recorded files of the public shop benchmark.

A model's script calls these functions for work that the model would do badly by itself:

    dispatch_plan(path="/ops/dispatch/wave-Yj4oo8jz/dispatch.md")   by which lane each package goes
    fraud_rows(path="/archive/payments.tsv")                        which payments are fraud
    settle_receipt(path="/uploads/scan.txt")                        what a badly scanned receipt says

The tests are skipped where the folder with the recorded files is missing.
"""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.truth import Measured
from controlplane.benchmarks.shop.receipts.named_receipts import read_scan
from tests.benchmarks.ecom.tasks.public_waves import PUBLIC_RATES, public_wave
from tests.benchmarks.shop.functions_on_files import run_table_function

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "ecom1" / "samples"

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")


def sample_text(name: str) -> str:
    return (SAMPLES / name).read_text("utf-8")


SUFFIX_OF_WAVE = {"BD2bv3HB": "", "Yj4oo8jz": "_wave2", "ApdgNmry": "_wave3"}
"""The names of the public waves, which are sets of packages that shops send to each other by lanes.
Each has the end of its files' names: `dispatch_packages_wave2.tsv` has the packages of Yj4oo8jz."""

PUBLIC_DELAYS = {**PUBLIC_RATES.delayed_percent, **PUBLIC_RATES.delay_units}
"""How often and for how long lanes are delayed: `{"unlikely": 10.2, ..., "short": (1, 3), ...}`.

This is the form of the argument `delays` of `dispatch_plan`.
"""


def wave_path(wave: str) -> str:
    """Return the path of the file that describes a wave; its tables are in the same folder."""
    return f"/ops/dispatch/wave-{wave}/dispatch.md"


def wave_files(wave: str) -> dict[str, str]:
    """Return the texts of a wave's three files by their paths: description, packages and lanes."""
    folder = f"/ops/dispatch/wave-{wave}"
    suffix = SUFFIX_OF_WAVE[wave]
    # Only one description was recorded. The others differ from it in the wave's name.
    wave_text = sample_text("dispatch_wave_file.txt").replace("BD2bv3HB", wave)
    return {
        wave_path(wave): wave_text,
        f"{folder}/packages.tsv": sample_text(f"dispatch_packages{suffix}.tsv"),
        f"{folder}/lanes.tsv": sample_text(f"dispatch_lanes{suffix}.tsv"),
    }


def measured_plan(wave: str, plan: Mapping[str, Any]) -> Measured:
    """Return the score of a plan that `dispatch_plan` has returned, with remarks on the plan.

    The best known plan of the wave scores 1.
    """
    suffix = SUFFIX_OF_WAVE[wave]
    measure = DispatchMeasure(
        public_wave(
            wave,
            packages_file=f"dispatch_packages{suffix}.tsv",
            lanes_file=f"dispatch_lanes{suffix}.tsv",
        )
    )
    return measure.measure(plan["value"]["answer"], refs=())


def page_of_public_delays() -> str:
    """Return a page with a table of the delays, such as `| short | 1 to 3 time units |`."""
    lines = ["# Delays", ""]
    for word, percent in PUBLIC_RATES.delayed_percent.items():
        lines.append(f"| {word} | {percent} % of trips |")
    for word, (shortest, longest) in PUBLIC_RATES.delay_units.items():
        lines.append(f"| {word} | {shortest} to {longest} time units |")
    return "\n".join(lines)


class TestDispatchPlans:
    """`dispatch_plan` says by which lanes the packages of a wave are sent, so that few are late.

    A *wave* is a set of packages that branches send to each other by lanes with limited
    room. Lanes may be delayed; a late package costs money. A plan scores 1 if it earns
    as much as the best known.

    `PUBLIC_RATES` says how often lanes are delayed, for how long, and what that costs.
    """

    @pytest.mark.parametrize("wave", SUFFIX_OF_WAVE)
    def test_the_plan_for_a_public_wave_scores_at_least_nine_tenths(self, wave):
        """The call states how often and how long lanes are delayed, and what lateness costs."""
        files = wave_files(wave)

        plan = run_table_function(
            "dispatch_plan",
            files,
            path=wave_path(wave),
            late_cents=PUBLIC_RATES.late_cents,
            delays=PUBLIC_DELAYS,
        )

        measured = measured_plan(wave, plan)
        assert measured.score >= 0.9, measured.explanation
        assert [ref["path"] for ref in plan["refs"]] == list(files)
        assert plan["notes"] == []

    @pytest.mark.parametrize("wave", SUFFIX_OF_WAVE)
    def test_a_wave_without_known_rates_is_planned_with_notes_on_what_is_missing(
        self, wave
    ):
        """Neither the call nor a page says how often lanes are late, or what that costs."""
        plan = run_table_function(
            "dispatch_plan", wave_files(wave), path=wave_path(wave)
        )

        measured = measured_plan(wave, plan)
        assert measured.score > 0, measured.explanation
        note_on_rates, note_on_price, *_ = plan["notes"]
        assert "no page gives the rates" in note_on_rates
        assert "no page gives the price" in note_on_price

    def test_delays_that_a_page_states_have_the_effect_of_those_in_the_call(self):
        """A script need not read the page and repeat in its call what the page states."""
        wave = "ApdgNmry"
        files = wave_files(wave) | {"/docs/dispatch.md": page_of_public_delays()}

        plan_by_page = run_table_function(
            "dispatch_plan",
            files,
            path=wave_path(wave),
            late_cents=PUBLIC_RATES.late_cents,
        )
        plan_by_arguments = run_table_function(
            "dispatch_plan",
            files,
            path=wave_path(wave),
            late_cents=PUBLIC_RATES.late_cents,
            delays=PUBLIC_DELAYS,
        )

        assert plan_by_page["notes"] == []
        assert plan_by_page["value"] == plan_by_arguments["value"]


TAKEOVER_DEVICES = {"dev_arch_SDePw1gkdsi3", "dev_arch_LbihXynuPCDG"}
"""New devices, each of which bought for one customer for an hour of a night."""


def is_burst_or_ring(row: dict[str, str]) -> bool:
    """Return True for the fraud of the first export.

    It is one customer's 12 purchases within 4 minutes, and a ring of customers on one device.
    The ring made all purchases by the channel `web`. Equal ones at a desk are innocent.
    """
    is_burst = row["customer_ref"] == "arch_cust-0132"
    is_ring = row["archive_channel"] == "web"
    return is_burst or is_ring


def is_takeover_or_equal_amount_run(row: dict[str, str]) -> bool:
    """Return True for the fraud of the second export.

    It is two takeovers of accounts, and one customer's 4 equal amounts in three cities. What the
    owners of the accounts bought in the days before, on their own devices, is innocent.
    """
    is_takeover = row["device_fingerprint"] in TAKEOVER_DEVICES
    is_equal_amount_run = row["customer_ref"] == "arch_cust-0074"
    return is_takeover or is_equal_amount_run


class TestFraudInExports:
    """`fraud_rows` finds exactly the fraudulent rows of an export of payments.

    An export is a table with the columns `row_id`, `customer_ref`, `amount_cents`,
    `device_fingerprint`, `archive_channel` and others. No column says which rows are fraud:
    `is_fraud` does, by what a person saw when reading the two exports.
    """

    @pytest.mark.parametrize(
        ("export", "is_fraud"),
        [
            ("archive_payment_export.tsv", is_burst_or_ring),
            (
                "archive_export_takeover_and_equal_amount_run.tsv",
                is_takeover_or_equal_amount_run,
            ),
        ],
    )
    def test_exactly_the_fraud_of_a_public_export_is_found(self, export, is_fraud):
        """The result cites each fraudulent row, and has the sum of their amounts."""
        path = f"/archive/{export}"
        text = sample_text(export)
        fraud_paths = []
        fraud_cents = 0
        for row in csv.DictReader(text.splitlines(), delimiter="\t"):
            if is_fraud(row):
                fraud_paths.append(f"{path}#row={row['row_id']}")
                fraud_cents += int(row["amount_cents"])

        result = run_table_function("fraud_rows", {path: text}, path=path)

        assert [ref["path"] for ref in result["refs"]] == fraud_paths
        assert result["value"]["total_cents"] == fraud_cents


class ExpectedReceipt(NamedTuple):
    """What a person reads in a scan."""

    file: str
    """The name of the scan's file."""
    counts_by_code_ending: dict[str, int]
    """How many units of each product, by the end of its code: that is not misread in these scans."""
    subtotal_cents: int


class TestScannedReceipts:
    """The scan of a receipt is read in spite of misread letters.

    For example, it has `PT-5AW-DEW-DWE575K-FINE` for `PT-SAW-DEW-DWE575K-FINE`
    and `199.9O` for `199.90`.
    """

    @pytest.mark.parametrize(
        "expected",
        [
            ExpectedReceipt(
                file="receipt_ocr_noisy.txt",
                counts_by_code_ending={"DWE575K-FINE": 1, "HSA50-BODY": 20},
                subtotal_cents=339_790,
            ),
            ExpectedReceipt(
                file="receipt_ocr_reprice.txt",
                counts_by_code_ending={
                    "RMA235-AK30": 1,
                    "K4-PREMIUM": 1,
                    "K4-PIPE": 3,
                    "DHS680-RAIL": 3,
                },
                subtotal_cents=302_401,
            ),
        ],
        ids=lambda expected: expected.file,
    )
    def test_a_public_receipt_is_read_in_spite_of_misread_letters(self, expected):
        """The lines add up to the subtotal, although some of their digits are misread."""
        scan = read_scan(sample_text(expected.file))

        assert scan is not None
        assert len(scan.items) == len(expected.counts_by_code_ending)
        for ending, count in expected.counts_by_code_ending.items():
            (item,) = [item for item in scan.items if item.code.endswith(ending)]
            assert item.count == count
        total_cents = sum(item.count * item.unit_cents for item in scan.items)
        assert scan.subtotal_cents == expected.subtotal_cents
        assert total_cents == expected.subtotal_cents

"""The shop's functions on recorded files of the public shop benchmark.

The functions do work for a model that it would do badly by itself: they plan a dispatch wave,
which is a set of packages to send by lanes with random delays, find the fraudulent rows in
an export of payments, and read a receipt that was scanned with errors.
"""

import csv
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.shop.receipts.named_receipts import read_scan
from controlplane.sandbox.interface import CallError, ToolSchema
from tests.benchmarks.ecom.tasks.test_measures import PUBLIC_RATES, public_wave
from tests.support.functions_here import compute

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "ecom1" / "samples"

SUFFIX_OF_WAVE = {"BD2bv3HB": "", "Yj4oo8jz": "_wave2", "ApdgNmry": "_wave3"}
"""The ends of the names of a wave's tables: `dispatch_packages_wave2.tsv` is of `Yj4oo8jz`."""

PUBLIC_DELAYS = {**PUBLIC_RATES.delayed_percent, **PUBLIC_RATES.delay_units}
"""How often and for how long lanes are delayed: `{"unlikely": 10.2, ..., "short": (1, 3), ...}`.

This is the form of the argument `delays` of `dispatch_plan`.
"""

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")


def sample_text(name: str) -> str:
    return (SAMPLES / name).read_text("utf-8")


def run_table_function(
    function: str, files: Mapping[str, str], **arguments: Any
) -> dict[str, Any]:
    """Run a function in a workspace that has only these files, and return its result.

    `run_table_function("fraud_rows", {"/archive/a.tsv": text}, path="/archive/a.tsv")`
    gives `{"value": ..., "refs": [{"path": ...}, ...], "notes": [...]}`.
    """

    def find(name_pattern: str) -> dict[str, Any]:
        paths = []
        for path in files:
            if fnmatchcase(PurePosixPath(path).name, name_pattern):
                paths.append(path)
        return {"paths": paths, "truncated": False}

    def read(path: str) -> dict[str, Any]:
        return {
            "path": path,
            "content": files[path],
            "truncated": False,
            "sha256": "",
        }

    def answer_call(
        operation: str, call_arguments: Mapping[str, Any]
    ) -> dict[str, Any] | CallError:
        path = call_arguments.get("path", "")
        if operation == "find":
            return find(call_arguments["name"])
        if operation == "read" and path in files:
            return read(path)
        return CallError("not_found", f"there is no {path}")

    def answer_calls(
        calls: Sequence[tuple[str, Mapping[str, Any]]],
    ) -> list[dict[str, Any] | CallError]:
        return [answer_call(operation, arguments) for operation, arguments in calls]

    return compute(
        f"controlplane.benchmarks.shop.table_functions:{function}",
        arguments,
        ToolSchema(()),
        answer_calls,
    )


def wave_path(wave: str) -> str:
    return f"/ops/dispatch/wave-{wave}/dispatch.md"


def wave_files(wave: str) -> dict[str, str]:
    """Return the three files of a public wave: its text, its packages and its lanes."""
    folder = f"/ops/dispatch/wave-{wave}"
    suffix = SUFFIX_OF_WAVE[wave]
    # The text is recorded of one wave; those of the others differ in the wave's name.
    wave_text = sample_text("dispatch_wave_file.txt").replace("BD2bv3HB", wave)
    return {
        wave_path(wave): wave_text,
        f"{folder}/packages.tsv": sample_text(f"dispatch_packages{suffix}.tsv"),
        f"{folder}/lanes.tsv": sample_text(f"dispatch_lanes{suffix}.tsv"),
    }


def wave_measure(wave: str) -> DispatchMeasure:
    """Return what scores plans of a public wave: 0 for the best naive plan, 1 for the best known."""
    suffix = SUFFIX_OF_WAVE[wave]
    return DispatchMeasure(
        public_wave(
            wave,
            packages_file=f"dispatch_packages{suffix}.tsv",
            lanes_file=f"dispatch_lanes{suffix}.tsv",
        )
    )


@pytest.mark.parametrize("wave", SUFFIX_OF_WAVE)
def test_the_plan_for_a_public_wave_scores_at_least_nine_tenths(wave):
    """A wave is a set of packages and lanes. The best known plan scores 1."""
    files = wave_files(wave)

    plan = run_table_function(
        "dispatch_plan",
        files,
        path=wave_path(wave),
        late_cents=PUBLIC_RATES.late_cents,
        delays=PUBLIC_DELAYS,
    )

    score, comment = wave_measure(wave).measure(plan["value"]["answer"], ())
    assert score >= 0.9, comment
    assert [ref["path"] for ref in plan["refs"]] == list(files)
    assert plan["notes"] == []


@pytest.mark.parametrize("wave", SUFFIX_OF_WAVE)
def test_a_wave_without_known_rates_is_planned_with_notes_on_what_is_missing(wave):
    """No page says how often lanes are delayed, or what a late package costs."""
    plan = run_table_function("dispatch_plan", wave_files(wave), path=wave_path(wave))

    score, comment = wave_measure(wave).measure(plan["value"]["answer"], ())
    assert score > 0, comment
    assert "no page gives the rates" in plan["notes"][0]
    assert "no page gives the price" in plan["notes"][1]


def page_of_public_delays() -> str:
    """Return a page with a table of the delays, such as `| short | 1 to 3 time units |`."""
    lines = ["# Delays", ""]
    for word, percent in PUBLIC_RATES.delayed_percent.items():
        lines.append(f"| {word} | {percent} % of trips |")
    for word, (shortest, longest) in PUBLIC_RATES.delay_units.items():
        lines.append(f"| {word} | {shortest} to {longest} time units |")
    return "\n".join(lines)


def test_delays_that_a_page_states_have_the_effect_of_those_in_the_call():
    """A script need not read the page itself."""
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


# An export is a table of payments with the columns `row_id`, `customer_ref`, `amount_cents`,
# `device_fingerprint`, `archive_channel` and others. No column says which rows are fraud:
# the two functions below do, by what a person saw when reading the two exports.

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
def test_exactly_the_fraud_of_a_public_export_is_found(export, is_fraud):
    """`is_fraud` says what a person found out about the rows of the export."""
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


# The scans of receipts have misread letters, such as `PT-5AW-DEW-DWE575K-FINE` for
# `PT-SAW-DEW-DWE575K-FINE` and `199.9O` for `199.90`.


class ExpectedReceipt(NamedTuple):
    """What a person reads in a scan."""

    file: str
    counts_by_code_ending: dict[str, int]
    """How many units of each product, by the end of its code, which is not misread."""
    subtotal_cents: int


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
def test_a_public_receipt_is_read_in_spite_of_misread_letters(expected):
    """The sum of the lines must be the subtotal, although some digits are misread."""
    scan = read_scan(sample_text(expected.file))

    assert scan is not None
    counts = {}
    total_cents = 0
    for item in scan.items:
        for ending in expected.counts_by_code_ending:
            if item.code.endswith(ending):
                counts[ending] = item.count
        total_cents += item.count * item.unit_cents
    assert len(scan.items) == len(expected.counts_by_code_ending)
    assert counts == expected.counts_by_code_ending
    assert scan.subtotal_cents == expected.subtotal_cents
    assert total_cents == expected.subtotal_cents

"""The shop's functions on recorded files of the public benchmark:
dispatch waves are planned, fraud is found in exports, scanned receipts are read."""

import csv
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.shop.products.receipts import read_scan
from controlplane.sandbox.interface import CallError, ToolSchema
from tests.benchmarks.ecom.tasks.test_measures import PUBLIC_RATES, public_wave
from tests.support.functions_here import compute

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "ecom1" / "samples"

SUFFIX_OF_WAVE = {"BD2bv3HB": "", "Yj4oo8jz": "_wave2", "ApdgNmry": "_wave3"}
"""The tables of wave `Yj4oo8jz` are `dispatch_packages_wave2.tsv`, `dispatch_lanes_wave2.tsv`."""

PUBLIC_DELAYS = {**PUBLIC_RATES.delayed_percent, **PUBLIC_RATES.delay_units}
"""How often lanes are delayed and for how long, as the argument `delays` of `dispatch_plan`:
`{"unlikely": 10.2, ..., "short": (1, 3), ...}`."""

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")


def sample_text(name: str) -> str:
    return (SAMPLES / name).read_text("utf-8")


def run_table_function(
    function: str, files: Mapping[str, str], **arguments: Any
) -> dict[str, Any]:
    """Return the result of a table function in a workspace that has only these files.

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
    packages = sample_text(f"dispatch_packages{suffix}.tsv")
    lanes = sample_text(f"dispatch_lanes{suffix}.tsv")
    return DispatchMeasure(public_wave(wave, packages, lanes))


@pytest.mark.parametrize("wave", SUFFIX_OF_WAVE)
def test_a_public_wave_is_planned_to_nine_tenths_of_what_is_possible(wave):
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
def test_a_wave_without_known_rates_is_planned_with_notes_on_them(wave):
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


def test_a_wave_is_planned_by_the_delays_that_a_page_states():
    wave = "ApdgNmry"
    files = wave_files(wave) | {"/docs/dispatch.md": page_of_public_delays()}

    plan_by_the_page = run_table_function(
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

    assert plan_by_the_page["notes"] == []
    assert plan_by_the_page["value"] == plan_by_arguments["value"]


# An export is a table of payments with the columns `row_id`, `customer_ref`, `amount_cents`,
# `device_fingerprint`, `archive_channel` and others. No column says which rows are fraud:
# the two functions below do, by what a person saw when reading the two exports.

TAKEOVER_DEVICES = {"dev_arch_SDePw1gkdsi3", "dev_arch_LbihXynuPCDG"}
"""New devices, each of which bought for one customer for an hour of a night."""


def is_burst_or_ring(row: dict[str, str]) -> bool:
    """Whether a row is of one customer's 12 purchases within 4 minutes, or of a ring of
    customers on one device. The ring has all of the channel `web` for itself; equal
    purchases at a service desk are innocent."""
    is_burst = row["customer_ref"] == "arch_cust-0132"
    is_ring = row["archive_channel"] == "web"
    return is_burst or is_ring


def is_takeover_or_equal_amount_run(row: dict[str, str]) -> bool:
    """Whether a row is of a takeover of an account, or of one customer's 4 equal amounts
    in three cities. What the customers of the takeovers bought in the days before, on
    their own devices, is innocent."""
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
def test_the_fraud_of_a_public_export_is_found_without_a_false_row(export, is_fraud):
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


# The scans have misread letters, such as `PT-5AW-DEW-DWE575K-FINE` for `PT-SAW-...` and
# `199.9O` for `199.90`. The end of each code below has none: only it must be right.


@pytest.mark.parametrize(
    ("receipt", "code_endings", "counts", "subtotal_cents"),
    [
        ("receipt_ocr_noisy.txt", ["DWE575K-FINE", "HSA50-BODY"], [1, 20], 339_790),
        (
            "receipt_ocr_reprice.txt",
            ["RMA235-AK30", "K4-PREMIUM", "K4-PIPE", "DHS680-RAIL"],
            [1, 1, 3, 3],
            302_401,
        ),
    ],
)
def test_a_public_receipt_is_read_with_its_misread_lines(
    receipt, code_endings, counts, subtotal_cents
):
    scan = read_scan(sample_text(receipt))

    assert scan is not None
    assert scan.subtotal_cents == subtotal_cents
    assert [item.count for item in scan.items] == counts
    for item, code_ending in zip(scan.items, code_endings, strict=True):
        assert item.code.endswith(code_ending)
    assert sum(item.count * item.unit_cents for item in scan.items) == subtotal_cents

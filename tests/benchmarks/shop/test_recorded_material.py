"""The functions on files of the public benchmark:
waves, exports, receipts and a record of each kind."""

import csv
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.ecom.tasks.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.shop.products.receipts import read_scan
from controlplane.sandbox.interface import CallError, ToolSchema
from tests.benchmarks.ecom.tasks.test_measures import PUBLIC_RATES, public_wave
from tests.support.functions_here import compute

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "ecom1" / "samples"
WAVES = {"BD2bv3HB": "", "Yj4oo8jz": "_wave2", "ApdgNmry": "_wave3"}
TOOL_SCHEMA = ToolSchema(())
TABLES = "controlplane.benchmarks.shop.table_functions"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")


def sample(name: str) -> str:
    return (SAMPLES / name).read_text("utf-8")


def found(function: str, files: dict[str, str], **arguments: Any) -> dict[str, Any]:
    """Return what a function finds in some files."""

    def answer(operation: str, given: Mapping[str, Any]) -> Any:
        path = given.get("path", "")
        if operation == "find":
            paths = [
                file
                for file in files
                if fnmatchcase(file.rsplit("/", 1)[1], given["name"])
            ]
            return {"paths": paths, "truncated": False}
        if operation == "read" and path in files:
            return {
                "path": path,
                "content": files[path],
                "truncated": False,
                "sha256": "",
            }
        return CallError("not_found", f"there is no {path}")

    return compute(
        f"{TABLES}:{function}",
        arguments,
        TOOL_SCHEMA,
        lambda calls: [answer(*call) for call in calls],
    )


@pytest.mark.parametrize("wave", WAVES)
def test_a_public_wave_is_planned_to_nine_tenths_of_what_is_possible(wave):
    packages, lanes = (
        sample(f"dispatch_{kind}{WAVES[wave]}.tsv") for kind in ("packages", "lanes")
    )
    folder = f"/ops/dispatch/wave-{wave}"
    text = sample("dispatch_wave_file.txt").replace("wave-BD2bv3HB", f"wave-{wave}")
    files = {
        f"{folder}/dispatch.md": text,
        f"{folder}/packages.tsv": packages,
        f"{folder}/lanes.tsv": lanes,
    }
    delays = {**PUBLIC_RATES.delayed_percent, **PUBLIC_RATES.delay_units}
    path, late_cents = f"{folder}/dispatch.md", PUBLIC_RATES.late_cents
    plan = found(
        "dispatch_plan", files, path=path, late_cents=late_cents, delays=delays
    )
    measure = DispatchMeasure(public_wave(wave, packages, lanes))
    score, told = measure.measure(plan["value"]["answer"], ())

    assert score >= 0.9, told
    assert [ref["path"] for ref in plan["refs"]] == list(files)
    assert plan["notes"] == []
    unaware = found("dispatch_plan", files, path=path)
    assert [
        "no page gives the rates" in unaware["notes"][0],
        "no page gives the price" in unaware["notes"][1],
    ] == [True] * 2
    assert measure.measure(unaware["value"]["answer"], ())[0] > 0


def test_a_wave_planned_for_a_given_late_cost_uses_the_delays_that_a_page_states():
    wave = sorted(WAVES)[0]
    folder = f"/ops/dispatch/wave-{wave}"
    path = f"{folder}/dispatch.md"
    text = sample("dispatch_wave_file.txt").replace("wave-BD2bv3HB", f"wave-{wave}")
    rows = [
        f"| {word} | {share} % of trips |"
        for word, share in PUBLIC_RATES.delayed_percent.items()
    ]
    for word, (shortest, longest) in PUBLIC_RATES.delay_units.items():
        rows.append(f"| {word} | {shortest} to {longest} time units |")
    files = {
        path: text,
        f"{folder}/packages.tsv": sample(f"dispatch_packages{WAVES[wave]}.tsv"),
        f"{folder}/lanes.tsv": sample(f"dispatch_lanes{WAVES[wave]}.tsv"),
        "/docs/dispatch.md": "\n".join(["# Delays", "", *rows]),
    }

    plan = found("dispatch_plan", files, path=path, late_cents=PUBLIC_RATES.late_cents)

    delays = {**PUBLIC_RATES.delayed_percent, **PUBLIC_RATES.delay_units}
    told = found(
        "dispatch_plan",
        files,
        path=path,
        late_cents=PUBLIC_RATES.late_cents,
        delays=delays,
    )

    assert plan["notes"] == []
    assert plan["value"] == told["value"]


def is_burst_or_ring(row: dict[str, str]) -> bool:
    """One customer's purchases of a few minutes, and a ring
    of customers on one device; twins at desks are innocent."""
    return row["customer_ref"].endswith("-0132") or row["archive_channel"] == "web"


def is_takeover_or_run(row: dict[str, str]) -> bool:
    """The nights on a new device, and one customer's equal
    amounts in four cities; the days before are innocent."""
    return row["device_fingerprint"][-5:] in ("kdsi3", "uPCDG") or row[
        "customer_ref"
    ].endswith("-0074")


@pytest.mark.parametrize(
    ("name", "is_fraud"),
    [
        ("archive_payment_export.tsv", is_burst_or_ring),
        ("archive_export_takeover_and_equal_amount_run.tsv", is_takeover_or_run),
    ],
)
def test_the_fraud_of_a_public_export_is_found_without_a_false_row(name, is_fraud):
    path = f"/archive/{name}"
    fraud = found("fraud_rows", {path: sample(name)}, path=path)
    rows = [
        row
        for row in csv.DictReader(sample(name).splitlines(), delimiter="\t")
        if is_fraud(row)
    ]

    assert [ref["path"] for ref in fraud["refs"]] == [
        f"{path}#row={row['row_id']}" for row in rows
    ]
    assert fraud["value"]["total_cents"] == sum(
        int(row["amount_cents"]) for row in rows
    )


@pytest.mark.parametrize(
    ("name", "codes", "counts", "subtotal"),
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
def test_a_public_receipt_is_read_with_its_misread_lines(name, codes, counts, subtotal):
    scan = read_scan(sample(name))
    assert scan is not None
    assert (scan.subtotal_cents, [item.count for item in scan.items]) == (
        subtotal,
        counts,
    )
    assert all(
        each.code.endswith(code) for each, code in zip(scan.items, codes, strict=True)
    )
    assert sum(item.count * item.unit_cents for item in scan.items) == subtotal

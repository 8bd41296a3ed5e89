"""`fraud_rows` finds exactly the fraudulent rows of two recorded exports of payments.

An export is a table with a row for each payment. A person has read the two exports, which are
beside the repository, and listed the rows that are fraud.
"""

from pathlib import Path

import pytest

from tests.benchmarks.shop.functions.functions_on_files import run_table_function

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "ecom1" / "samples"

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")


def test_the_fraud_of_an_export_with_a_burst_and_a_ring_is_found() -> None:
    text = (SAMPLES / "archive_payment_export.tsv").read_text("utf-8")
    # One customer's 12 purchases within 4 minutes, in several cities
    burst = (
        "AR-DcV62h AR-AJkiH9 AR-VwgJ65 AR-TzL3KP AR-boqL87 AR-XCGoRr "
        "AR-ES56ac AR-KM5YvC AR-4CD99o AR-TNFxyY AR-BTSsRN AR-62MGvi"
    )
    # Five customers on one device, by the channel `web`. Equal purchases at a desk are innocent.
    ring = "AR-eoRaQB AR-eJXvj9 AR-ieUJVR AR-3D8SFW AR-iDz6Zd"

    result = run_table_function("fraud_rows", {"/export.tsv": text}, path="/export.tsv")

    fraud_ids = [row["id"] for row in result["value"]["rows"]]
    assert fraud_ids == f"{burst} {ring}".split()
    cited_paths = [ref["path"] for ref in result["refs"]]
    assert cited_paths == [f"/export.tsv#row={row_id}" for row_id in fraud_ids]
    assert result["value"]["total"] == "EUR 2041.30"
    assert result["value"]["total_cents"] == 204_130


def test_the_fraud_of_an_export_with_takeovers_and_equal_amounts_is_found() -> None:
    file = SAMPLES / "archive_export_takeover_and_equal_amount_run.tsv"
    text = file.read_text("utf-8")
    # Two accounts that were taken over: each buys for an hour of a night on a new device. What the
    # owners bought in the days before, on their own devices, is innocent.
    first_takeover = "AR-AdB9eg AR-MQo5J9 AR-RQTHs8 AR-8neyzi AR-XgKTcB AR-L6GLre"
    second_takeover = "AR-MF39Lt AR-5ECNWx AR-SH7NiQ AR-5xMrw5 AR-VgofdR AR-cAXqpB"
    # One customer's 4 equal amounts in several cities within an hour
    equal_amounts = "AR-9xyVMS AR-dpNS2v AR-fguEsm AR-6CR343"

    result = run_table_function("fraud_rows", {"/export.tsv": text}, path="/export.tsv")

    fraud_ids = [row["id"] for row in result["value"]["rows"]]
    assert fraud_ids == f"{first_takeover} {second_takeover} {equal_amounts}".split()
    cited_paths = [ref["path"] for ref in result["refs"]]
    assert cited_paths == [f"/export.tsv#row={row_id}" for row_id in fraud_ids]
    assert result["value"]["total"] == "EUR 6059.30"
    assert result["value"]["total_cents"] == 605_930

"""Two recorded scans of receipts are read in spite of misread letters.

A scan has lines such as these; `199.9O` is 199.90, and `5AW` is SAW:

    [1] I DeWalt DeWalt DWE575K circular 199.9O 199.90
    saw fine-cut set
    SKU / clerk note: PT-5AW-DEW-DWE575K-FINE
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.shop.stock_functions import read_scan

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "ecom1" / "samples"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize(
    ("file", "items", "subtotal_cents"),
    [
        (
            "receipt_ocr_noisy.txt",
            [
                # The quantity, the code as it was scanned, and the price of one in cents
                (1, "PT-5AW-DEW-DWE575K-FINE", 199_90),
                (20, "PT-HDG-STI-HSA50-BODY", 159_90),
            ],
            3397_90,
        ),
        (
            "receipt_ocr_reprice.txt",
            [
                (1, "PT-MOW-STI-RMA235-AK30", 389_90),
                (1, "PT-WASH-KAR-K4-PREMIUM", 329_90),
                (3, "PT-WASH-KAR-K4-PIPE", 379_90),
                (3, "PT-SAW-MAK-DHS680-RAIL", 388_17),
            ],
            3024_01,
        ),
    ],
)
def test_a_public_receipt_is_read_in_spite_of_misread_letters(
    file: str, items: list[tuple[int, str, int]], subtotal_cents: int
) -> None:
    scan = read_scan((SAMPLES / file).read_text("utf-8"))

    assert scan is not None
    assert [(item.count, item.code, item.unit_cents) for item in scan.items] == items
    assert scan.subtotal_cents == subtotal_cents
    total_cents = sum(item.count * item.unit_cents for item in scan.items)
    assert total_cents == subtotal_cents

"""Archived exports: the solver finds exactly the incidents from the rows alone, and cited rows are graded by amount."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from random import Random

import pytest
from benchmarks.ecom.tasks.archive.export_blocks import INCIDENTS, everyday_payments, fill
from benchmarks.ecom.tasks.archive.export_draft import ExportDraft
from benchmarks.ecom.tasks.archive.export_rows import export_text, parse_export
from benchmarks.ecom.tasks.archive.fraud_detection import fraud_rows
from benchmarks.ecom.tasks.archive.fraud_grading import FraudMeasure

from benchmarks.ecom.world.generator import generate
from benchmarks.local.row_shares import RowShares

START = datetime(2025, 3, 1)
WORLDS = [generate(f"archive {number}") for number in range(4)]
PATH = "/archive/export.tsv"


def draft_of(seed: int) -> ExportDraft:
    world = WORLDS[seed % len(WORLDS)]
    customers = [f"cust-{number:04d}" for number in range(1, 200)]
    return ExportDraft(Random(seed), list(world.stores.values()), list(world.catalogue.products.values()), customers)


@pytest.mark.parametrize("block", [*INCIDENTS, everyday_payments, fill])
def test_rows_alone_tell_exactly_which_are_fraud(block) -> None:
    for seed in range(60):
        draft = draft_of(seed)
        block(draft, START)
        found = {row.row_id for row in fraud_rows(parse_export(export_text(draft.rows)))}
        assert found == draft.fraud, seed
        assert bool(found) is (block is not everyday_payments)


def test_an_export_is_about_as_large_as_public_ones_and_holds_every_kind() -> None:
    channels: Counter[str] = Counter()
    for seed in range(60):
        draft = draft_of(seed)
        fill(draft, START)
        assert 25 <= len(draft.rows) <= 140
        assert 6 <= len(draft.fraud) <= 35
        channels.update({row.archive_channel for row in draft.rows})
    assert set(channels) == {"web", "mobile_app", "service_desk", "store_kiosk", "store_terminal"}


@pytest.mark.parametrize(
    ("cited", "score"),
    [
        ("ab", 1.0),
        ("a", 0.75),
        ("b", 0.25),
        ("abc", 0.5),
        ("ac", 0.75 * 3 / 7),
        ("c", 0.0),
        ("", 0.0),
        ("abx", 1.0),
    ],
)
def test_the_score_is_recall_by_amount_times_the_share_that_is_fraud(cited: str, score: float) -> None:
    measure = FraudMeasure(RowShares(PATH, {"a": 30_000, "b": 10_000, "c": 40_000}, frozenset("ab")))
    found, lines = measure.measure("EUR 400.00", [PATH, *(f"{PATH}#row={each}" for each in cited)])
    assert found == pytest.approx(score)
    assert lines[0] == "answer amount matched"
    assert measure.measure("EUR 1.00", [])[1][0] == "answer amount mismatch: it is EUR 400.00"
    assert any("do not exist" in line for line in lines) is ("x" in cited)

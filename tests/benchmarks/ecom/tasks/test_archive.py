"""Archived exports: rows tell which are fraud, and cited rows are graded by amount, total and existence."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.ecom.tasks.archive import FraudMeasure
from benchmarks.local.local_benchmark import RowShares
from tests.benchmarks.ecom.variants import pose_variant

PATH = "/archive/export.tsv"
MEASURE = FraudMeasure(RowShares(PATH, {"a": 30_000, "b": 10_000, "c": 40_000}, frozenset("ab")))


def test_exports_are_like_public_ones() -> None:
    channels: Counter[str] = Counter()
    for seed in range(60):
        task = pose_variant("archive-fraud#1", f"archive {seed}")
        header, *lines = [line.split("\t") for line in task.world.files[task.truth.inputs["path"]].splitlines()]
        rows = [dict(zip(header, line, strict=True)) for line in lines]
        assert isinstance(task.truth.measure, FraudMeasure)
        right = task.truth.measure.rows.right
        assert 25 <= len(rows) <= 140
        assert 6 <= len(right) <= 35
        channels.update({row["archive_channel"] for row in rows})
    assert {*channels} == {"web", "mobile_app", "service_desk", "store_kiosk", "store_terminal"}


@pytest.mark.parametrize(
    ("message", "cited", "score"),
    [
        ("EUR 400.00", "ab", 1.0),
        ("EUR 400.00\n", "ab", 1.0),
        ("EUR 300.00", "a", 0.75),
        ("EUR 400.00", "a", 0.75),
        ("EUR 100.00", "b", 0.25),
        ("EUR 800.00", "abc", 0.5),
        ("EUR 700.00", "ac", 0.75 * 3 / 7),
        ("EUR 400.00", "c", 0.0),
        ("EUR 0.00", "", 0.0),
        ("EUR 401.00", "ab", 0.0),
        ("EUR 300.00", "ab", 0.0),
        ("It is EUR 400.00.", "ab", 0.0),
        ("400.00", "ab", 0.0),
        ("EUR 400.00", "abx", 0.0),
    ],
)
def test_the_score_is_recall_by_amount_times_the_share_that_is_fraud(message: str, cited: str, score: float) -> None:
    found, lines = MEASURE.measure(message, [PATH, *(f"{PATH}#row={each}" for each in cited)])
    assert found == pytest.approx(score)
    assert any("do not exist" in line for line in lines) is ("x" in cited)
    assert (lines[0] == "answer amount matched") is (message.strip() == "EUR 400.00")

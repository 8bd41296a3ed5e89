"""Sizes of memory and disk in a task's file: `memory = "4Gi"` means 4096 megabytes."""

import pytest

from controlplane.benchmarks.harbor.harbor_benchmark import megabytes


@pytest.mark.parametrize(
    ("text", "expected_megabytes"),
    [("512M", 512), ("4Gi", 4096), ("1.5 GB", 1536), ("", 0)],
)
def test_sizes_are_read_with_their_units(text: str, expected_megabytes: int) -> None:
    """G, Gi and GB all mean 1024 MB."""
    assert megabytes(text) == expected_megabytes

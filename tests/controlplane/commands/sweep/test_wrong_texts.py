"""The file of a sweep is not TOML, or its name cannot be that of a file.

The journals of its runs are called after it: `name = "s"` leads to runs/s-base-cae6.jsonl.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.sweep import read_sweep


def test_a_sweep_whose_name_cannot_be_that_of_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('name = "a/b"\n[axes]\ngates = ["none"]', encoding="utf-8")

    with pytest.raises(UsageError, match=r"s\.toml.*letters, digits"):
        read_sweep(file)


def test_a_sweep_file_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("name = ", encoding="utf-8")

    with pytest.raises(UsageError, match=r"s\.toml.*is not TOML"):
        read_sweep(file)

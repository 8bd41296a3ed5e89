"""The page about the remote platform names every setting with its default."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.bitgn.client.remote_benchmark import ClientSettings

PAGE = (Path(__file__).parents[3] / "docs" / "remote.md").read_text(encoding="utf-8")


def test_every_setting_is_there_with_its_default():
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", PAGE, flags=re.M))
    defaults = {name: field.default for name, field in ClientSettings.model_fields.items()}
    assert rows == {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in defaults.items()}

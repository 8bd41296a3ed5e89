"""The file of a sweep has a setting or key that does not exist, or a value that no run takes.

`sweep s.toml` plays the same tasks under several settings. The file has the settings of all runs in
[base], values to combine in [axes], and single runs in [[runs]]:

    [axes]
    gats = ["none"]    ->    ... [axes] there is no setting 'gats'; did you mean 'gates'
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.sweep import read_sweep


@pytest.mark.parametrize(
    ("lines", "message_part"),
    [
        pytest.param(
            '[axes]\ngats = ["none"]',
            "[axes] there is no setting 'gats'; did you mean 'gates'",
            id="no such setting to vary",
        ),
        pytest.param(
            '[base]\nsed = 1\n[axes]\ngates = ["none"]',
            "[base] there is no setting 'sed'",
            id="no such setting of all runs",
        ),
        pytest.param(
            '[[runs]]\ngats = "none"',
            "[runs] there is no setting 'gats'",
            id="no such setting of a run",
        ),
        pytest.param(
            'axis = 1\n[axes]\ngates = ["none"]',
            "axis: there is no such key; did you mean 'axes'",
            id="no such key",
        ),
        pytest.param(
            "[axes]\nmax_steps = [0]",
            "s.toml, max_steps=0: --max-steps",
            id="a wrong value",
        ),
    ],
)
def test_a_fault_in_a_sweep_file_is_refused_by_file_and_key(
    lines: str, message_part: str, tmp_path: Path
) -> None:
    """`lines` is what the file has below its first line, `name = "s"`."""
    file = tmp_path / "s.toml"
    file.write_text(f'name = "s"\n{lines}', encoding="utf-8")

    with pytest.raises(UsageError) as refusal:
        read_sweep(file)

    assert "s.toml" in str(refusal.value)
    assert message_part in str(refusal.value)

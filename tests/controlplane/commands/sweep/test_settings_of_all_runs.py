"""The file of a sweep varies nothing, or what all of its runs share.

`sweep s.toml` plays the same tasks under several settings: values to combine in [axes], and single
runs in [[runs]]. The runs are compared by what they do to the same tasks, so they may not differ in
the seed:

    [axes]
    seed = [1, 2]    ->    ... seed is not allowed there: the runs of a sweep share it
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.sweep import read_sweep


@pytest.mark.parametrize(
    ("lines", "message_part"),
    [
        pytest.param(
            "[axes]\nseed = [1, 2]",
            "seed is not allowed there: the runs of a sweep share it",
            id="seeds to vary",
        ),
        pytest.param(
            "[[runs]]\nseed = 2",
            "the runs of a sweep share it",
            id="a seed of one run",
        ),
        pytest.param(
            '[base]\nname = "x"\n[axes]\ngates = ["none"]',
            "name is not allowed there: the sweep sets it",
            id="a name for all runs",
        ),
        pytest.param(
            "",
            "a sweep needs variations: give [axes] or [[runs]]",
            id="nothing to vary",
        ),
        pytest.param("[axes]", "a sweep needs variations", id="no axis"),
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

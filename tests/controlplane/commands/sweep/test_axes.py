"""The file of a sweep names values of settings, which are combined to runs.

A sweep plays the same tasks under several settings, to compare the scores. Its file has the settings
of all runs in [base], and values to combine in [axes]:

    [axes]
    max_steps = [5, 9]        three runs: "base", "max_steps=5" and "max_steps=9"
"""

from pathlib import Path

from controlplane.sweep import read_sweep

TWO_AXES = """
name = "s"
tasks = ["calendar-date"]
[base]
seed = 3
gates = "all"
[axes]
gates = ["none", "all"]
max_steps = [5, 9]
"""
"""The value "all" of gates is that of the base run already."""


def test_a_sweep_combines_its_axes_without_repeating_a_run(tmp_path: Path) -> None:
    """Gates are none or those of the base; steps are 5, 9 or those of the base: six runs."""
    file = tmp_path / "s.toml"
    file.write_text(TWO_AXES, encoding="utf-8")

    runs_by_label = read_sweep(file)

    assert list(runs_by_label) == [
        "base",
        "max_steps=5",
        "max_steps=9",
        "gates=none",
        "gates=none, max_steps=5",
        "gates=none, max_steps=9",
    ]

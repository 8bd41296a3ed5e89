"""The file of a sweep, the journals of its runs, and what it prints about their scores.

A sweep plays the same tasks under several settings. The one of these tests has two runs: "base", with
all gates (checks of answers), and "gates=none".

    means_by_label(result)["gates=none"]["mean"]    ->    0.0
"""

from pathlib import Path
from typing import Any


def sweep_text(script: Path, *, base: str = "", axes: str = 'gates = ["none"]') -> str:
    """Return a sweep file with three tasks for a model that replies with a script's steps.

    `base` is a further setting of all runs, `axes` what the runs differ in. As it is, there are
    two runs: the base with all gates, and one without gates.
    """
    return f"""
name = "s"
[base]
benchmark = "tests.support.many_trials:3"
model = "scripted:{script}"
{base}
[axes]
{axes}
"""


def means_by_label(sweep_result: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return each run's mean score with its interval: `{"base": {"mean": 1.0, "low": ...}, ...}`.

    Each run is compared with the base: `second_mean` is that of the run, `first_mean` the base's.
    """
    return {run["label"]: run["second_mean"] for run in sweep_result["runs"]}


BASE_JOURNAL = "runs/s-base-cae6.jsonl"


JOURNAL_WITHOUT_GATES = "runs/s-gates-none-42a3.jsonl"
"""The journals of the two runs. Their names end in the beginning of a hash of the settings."""

"""The settings of a run that counts the effects of its calls."""

from controlplane.configuration.run_settings import RunSettings
from tests.support.command import ROOT

EFFECTS_RUN = RunSettings(
    benchmark="bitgn:tally",
    model=f"scripted:{ROOT / 'tests/support/effect_counter.toml'}",
    rule_sets="none",
    gates="none",
    poll_time=5,
)
"""A run of the benchmark that `effect_counter.py` serves."""

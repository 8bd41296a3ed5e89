"""The settings of a run that changes files, in trials that count each change.

The benchmark is called "tally"; `effect_counter.py` defines it. A test can ask it how often each
trial has written, deleted, bought and answered: each has to happen once, also if workers are
killed.
"""

from controlplane.configuration.run_settings import RunSettings
from tests.support.command import ROOT

EFFECTS_RUN = RunSettings(
    benchmark="bitgn:tally",  # of the server whose address is in BITGN_HOST
    model=f"scripted:{ROOT / 'tests/support/effect_counter.toml'}",
    # Nothing judges the answers: only the changes matter.
    rule_sets="none",
    gates="none",
    # After its last trial, the run asks for at most 5 s for scores that are not ready.
    poll_time=5,
)

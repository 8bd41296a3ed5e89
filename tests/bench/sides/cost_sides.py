"""One way to play trials, "ours" or a bare script, and what a run of it costs.

Each run is a process of its own, `trial_sides.py`, whose CPU, time and memory are measured from
outside, with those of its children.
"""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.sides.process_costs import Cost, cpu_s_of_children, tree_pss_mb

PLAYING_PROGRAM = Path(__file__).with_name("trial_sides.py")


@dataclass(frozen=True)
class Side:
    """One way to play the trials. Each run is a process of its own: `trial_sides.py`."""

    name: str
    """The kind of player: "ours", or one of the bare scripts in `FLOORS`."""
    model_port: int
    """The port of its model server."""
    flags: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Further flags by the number of trials: `{12: ["--platform", "http://127.0.0.1:8000"]}`.

    Each number needs a platform of its own, which has as many tasks.
    """

    def play(self, trials: int) -> Cost:
        """Play a number of trials and return what that costs. Exits if the process fails."""
        started_s = time.monotonic()
        cpu_before_s = cpu_s_of_children()
        command = [sys.executable, str(PLAYING_PROGRAM), "--side", self.name]
        command += ["--trials", str(trials), "--port", str(self.model_port)]
        command += self.flags.get(trials, [])
        process = subprocess.Popen(command)
        peak_pss_mb = 0.0
        while process.poll() is None:
            peak_pss_mb = max(peak_pss_mb, tree_pss_mb(process.pid))
            time.sleep(0.25)
        if process.returncode:
            sys.exit(f"{self.name} ended with {process.returncode}")
        return Cost(
            cpu_s=cpu_s_of_children() - cpu_before_s,
            wall_s=time.monotonic() - started_s,
            peak_pss_mb=peak_pss_mb,
        )

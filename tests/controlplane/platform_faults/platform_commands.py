"""Commands of a user against a platform, a server of a benchmark that here counts what each trial changes.

    platform.command("resume", "last")                    # controlplane resume last
    platform.benchmark.check_each_effect_happened_once()

A run calls the platform to start trials, to read and change their files, to answer, and to submit the
run. The platforms of these tests fail at some calls; still, nothing may be changed twice.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.command import CommandResult, run_in_process, start_controlplane
from tests.support.effect_counter import EffectCounterBenchmark

OK = 0

A_TRIAL_FAILED = 1
"""The exit code of a command if a trial did not start, did not end, or has no answer."""

PLATFORM_KEY = "sk-canary-1029384756abcdef"
"""The user's key for the platform. No output and no journal may contain it."""


@dataclass(frozen=True)
class Platform:
    """A platform at an address, and the folder of the user who runs commands against it."""

    benchmark: EffectCounterBenchmark
    """Its `check_each_effect_happened_once` asserts that each trial has had each effect once, and is scored 1."""
    url: str
    folder: Path

    def command(self, *words: str, **variables: str) -> CommandResult:
        """Run a command to its end: `platform.command("resume", "last")`.

        `variables` are further variables of its environment.
        """
        variables = {**self._address_and_key, **variables}
        return run_in_process(*words, cwd=self.folder, **variables)

    def start_command(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        """Start a command as a process of its own, which a test may stop or kill."""
        variables = {**self._address_and_key, **variables}
        return start_controlplane(*words, cwd=self.folder, **variables)

    @property
    def _address_and_key(self) -> dict[str, str]:
        return {"BITGN_HOST": self.url, "BITGN_API_KEY": PLATFORM_KEY}

    @property
    def journal(self) -> Path:
        """The journal of the only run in the folder."""
        (journal,) = self.folder.glob("runs/*.jsonl")
        return journal


def scores_by_trial(result: CommandResult) -> dict[str, float | None]:
    """Return the scores in the JSON that a command printed about a run: `{"x9f2": 1.0, ...}`."""
    return {trial["trial_id"]: trial["score"] for trial in result.json["trials"]}

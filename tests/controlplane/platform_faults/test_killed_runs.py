"""A run is killed while its trials are played, and resumed. Each change must have happened once then.

In each trial, the agent writes a file, deletes another one, runs the tool `checkout`, and answers. The
platform counts these effects. The run records in its journal, line by line, what it does. `resume`
continues from there, and must not make a change again that the platform has seen.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.verification import verify
from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.controlplane.platform_faults.platform_commands import OK
from tests.support.command import run_in_process, wait_until
from tests.support.effect_counter import RUN_EFFECT_COUNTER


def count_of_lines(folder: Path) -> int:
    """Return how many lines the journal of the folder's run has; 0 if it does not exist yet."""
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("runs/*.jsonl"))


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("trials", "line_count"),
    [
        pytest.param(5, 20, id="5 trials, killed after 20 lines"),
        *[
            pytest.param(
                30,
                line_count,
                id=f"30 trials, killed after {line_count} lines",
                marks=pytest.mark.heavy,
            )
            for line_count in range(1, 601, 6)
        ],
    ],
)
def test_every_effect_of_a_killed_and_resumed_run_happens_once(
    trials: int, line_count: int, tmp_path: Path
) -> None:
    with faulty_platform(tmp_path, trials=trials) as platform:
        # 1. The run is killed, unless it has ended before its journal has so many lines.
        run = platform.start_command(*RUN_EFFECT_COUNTER, "--concurrency", "4")
        wait_until(
            lambda: count_of_lines(tmp_path) >= line_count or run.poll() is not None
        )
        run.kill()
        run.communicate()

        with open_journal(platform.journal) as journal:
            # 2. If it was killed before it could record its start, there is nothing to resume.
            if journal.summary.run_id == "":
                refused = platform.command("resume", "last")
                assert refused.code == UsageError.exit_code, refused.err
                return

            # 3. All lines can be read, except for a last one that was cut off.
            readable_bytes = journal.length
            assert b"\n" not in platform.journal.read_bytes()[readable_bytes:]
            # 4. Recorded scripts, run again with the recorded results of their calls, print what
            #    they have printed before.
            begun = [trial for trial in journal.trials.values() if trial.has_begun]
            trial_ids = [trial.trial_id for trial in begun]
            assert verify(journal, trial_ids).differences == ()

        # 5. The run is resumed.
        resumed = platform.command("resume", "last")
        assert resumed.code == OK, resumed.err + resumed.out
        platform.benchmark.check_each_effect_happened_once()
        assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK

"""Runs against a platform that refuses calls, loses replies, or cannot start some trials.

The model of each trial writes a file, deletes another, runs a program that changes something, and
answers. Whatever fails, a run must make each of these changes exactly once in every trial:
`platform.benchmark.check_each_effect_happened_once()` asserts that.
"""

from pathlib import Path

import pytest

from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.controlplane.platform_faults.platform_commands import A_TRIAL_FAILED, OK
from tests.support.command import run_in_process
from tests.support.effect_counter import RUN_EFFECT_COUNTER
from tests.support.relay.faults import Faults, Outage

pytestmark = [pytest.mark.usefixtures("short_backoff"), pytest.mark.second_tier]


class TestFaultyPlatforms:
    """A share of the calls is refused, or their connections break, or replies stop.

    `Faults(seed=3, unavailable=0.2)` lets a fifth of all calls fail; the seed decides which.
    `RUN_EFFECT_COUNTER` is the command of the run.
    """

    @pytest.mark.parametrize(
        "faults",
        [
            pytest.param(
                Faults(seed=3, unavailable=0.2),
                id="20 % answer 503",
            ),
            pytest.param(
                Faults(seed=4, reset_before=0.02, reset_after=0.02),
                id="4 % reset the connection, before or after the effect",
            ),
            pytest.param(
                Faults(
                    seed=5, stall=0.02, methods=frozenset({"Read", "Write", "Exec"})
                ),
                id="2 % of replies stop in the middle",
            ),
            pytest.param(
                Faults(seed=6, too_many=0.1, retry_after_s=0.1),
                id="10 % answer 429 with a time to wait",
            ),
            # Rarer faults seldom happen in the five trials of the light form.
            pytest.param(
                Faults(),
                id="no faults",
                marks=pytest.mark.heavy,
            ),
            pytest.param(
                Faults(seed=1, unavailable=0.01),
                id="1 % answer 503",
                marks=pytest.mark.heavy,
            ),
            pytest.param(
                Faults(seed=2, unavailable=0.05),
                id="5 % answer 503",
                marks=pytest.mark.heavy,
            ),
        ],
    )
    def test_every_effect_happens_once_under_faults(
        self, faults: Faults, tmp_path: Path, heavy: bool
    ) -> None:
        """A share of all calls fails; the seed decides which. There are five trials, in the heavy
        form
        100. A reply 429 names a time, before which the run must not call again."""
        trials = 100 if heavy else 5

        with faulty_platform(tmp_path, trials=trials, faults=faults) as platform:
            result = platform.command(
                *RUN_EFFECT_COUNTER,
                "--set",
                "call_timeout_s=1",
                "--set",
                "lifecycle_timeout_s=1",
                "--concurrency",
                "10",
            )

            assert result.code == OK, result.err
            platform.benchmark.check_each_effect_happened_once()
            assert platform.faults.calls_too_early == 0

        assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK


class TestFailingStarts:
    """Some trials cannot be started; the platform refuses each call to start them.

    The trial of number 4 has the task `tally.4`. Those that start are played and scored.
    """

    def test_trials_that_cannot_start_do_not_harm_others_and_are_named(
        self, tmp_path: Path, heavy: bool
    ) -> None:
        """Two of eight trials cannot start, in the heavy form five of 100. All others are played
        and scored."""
        trials = 100 if heavy else 8
        failing_starts = frozenset({3, 17, 40, 41, 99} if heavy else {1, 4})

        with faulty_platform(
            tmp_path, trials=trials, failing_starts=failing_starts
        ) as platform:
            result = platform.command(
                *RUN_EFFECT_COUNTER, "--json", "--set", "lifecycle_patience_s=2"
            )

            assert result.code == A_TRIAL_FAILED, result.err
            platform.benchmark.check_each_effect_happened_once(
                missing=len(failing_starts)
            )

        failed_tasks: set[str] = set()
        for trial in result.json["trials"]:
            if trial["state"] == "failed":
                failed_tasks.add(trial["task_id"])
        assert failed_tasks == {f"tally.{number}" for number in failing_starts}


class TestOutagesAndScripts:
    """The platform is away for a while at the end of a run, or scripts give no answer.

    Both end well: the run calls again until the platform is back, and a trial without an
    answer gets one of the harness, a fallback. `RUN_EFFECT_COUNTER` is the command of a run
    whose model gives right answers.
    """

    @pytest.mark.parametrize("method", ["EndTrial", "SubmitRun"])
    def test_an_outage_of_the_last_calls_is_waited_out(
        self, method: str, tmp_path: Path, heavy: bool
    ) -> None:
        """The platform's methods EndTrial and SubmitRun end a trial, and hand in the run. From its
        first call on, one of them answers 503 for a second; in the heavy form for a minute."""
        outage = Outage(method, duration_s=60.0 if heavy else 1.0)
        faults = Faults(outages=(outage,))
        trials = 20 if heavy else 4

        with faulty_platform(tmp_path, trials=trials, faults=faults) as platform:
            result = platform.command(*RUN_EFFECT_COUNTER)

            assert result.code == OK, result.err
            platform.benchmark.check_each_effect_happened_once()

    @pytest.mark.parametrize(
        "script",
        [
            pytest.param("while True:\n    pass", id="hangs"),
            pytest.param("raise SystemExit(1)", id="exits"),
            pytest.param(
                "for number in range(10**6):\n    print('x' * 1000)",
                id="floods its output",
            ),
            pytest.param(
                "parts = []\nwhile True:\n    parts.append('x' * 10**6 + str(len(parts)))",
                id="takes all memory",
            ),
            pytest.param("print(1)", id="never answers"),
        ],
    )
    def test_every_trial_is_answered_whatever_its_scripts_do(
        self, script: str, tmp_path: Path, heavy: bool
    ) -> None:
        """The platform has no faults here, but the model replies with a script that gives no
        answer. Then the harness answers for the trial by a fallback."""
        replies = tmp_path / "misbehaving.toml"
        replies.write_text(f"[[reply]]\ncode = '''\n{script}\n'''\n" * 3)

        with faulty_platform(tmp_path, trials=100 if heavy else 4) as platform:
            result = platform.command(
                "run",
                "--benchmark",
                "bitgn:tally",
                "--model",
                f"scripted:{replies}",
                "--rule-sets",
                "none",
                "--json",
                "--concurrency",
                "10",
                "--max-steps",
                "1",
                "--trial-time",
                "1",
            )

        assert result.code == OK, result.err
        assert {trial["state"] for trial in result.json["trials"]} == {"fallback"}
        # Each trial was answered once and ended, and the run was submitted once.
        benchmark = platform.benchmark
        for effects_of_trial in benchmark.effects.values():
            assert effects_of_trial["answer"] == 1
        assert len(benchmark.scores) == len(benchmark.tasks)
        assert benchmark.submits == 1

"""Grades a trial as Harbor does: runs the task's tests in its container and reads the reward.

The verifier of a task is `tests/test.sh`. It looks at what the agent has done, and writes
the score to `/logs/verifier/reward.txt` or `reward.json`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmark import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_runtime import ContainerSettings
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    CommandResult,
    ContainerError,
    last_lines,
)
from controlplane.benchmarks.containers.set_files import SetFileError
from controlplane.benchmarks.harbor.players import SolutionPlayer
from controlplane.benchmarks.harbor.tasks import HarborTask
from controlplane.benchmarks.harbor.trial_containers import (
    TrialContainer,
    TrialContainers,
    network_of,
)
from controlplane.local_benchmark.local_benchmark import Grade
from controlplane.sandbox.interface import error_codes
from controlplane.score_scale import (
    ANY_NUMBER,
    UNIT_SCALE,
    ScoreScale,
    finite_number,
    sound_metrics,
)

# The `--set` options of `harbor:DIR`, such as `--set lost_container=restart`.
#
# Those for containers are shared with other benchmarks, in `ContainerSettings`.


@dataclass(frozen=True, slots=True)
class HarborSettings:
    """The options of the user."""

    containers: ContainerSettings
    restarts_lost_trials: bool
    """What a resumed run does if a trial's container is gone: True to start the trial again.

    False to repeat its recorded calls in a new container.
    """
    reward: str
    """The key in reward.json whose value is the score; empty for the default."""
    scale: ScoreScale
    """Which rewards are scores."""

    @classmethod
    def parse(
        cls, options: Mapping[str, str], environment: Mapping[str, str]
    ) -> HarborSettings:
        """Return the settings for these options. Raises `BenchmarkError`."""
        return cls(
            containers=ContainerSettings.parse(options, environment),
            restarts_lost_trials=options.get("lost_container") == "restart",
            reward=options.get("reward", ""),
            scale=ANY_NUMBER if options.get("scale") == "any" else UNIT_SCALE,
        )


# Reads the reward that the tests of a task leave: reward.txt has one number, reward.json several.
#
# For example, reward.json may be `{"reward": 0.5, "speed": 12}`.


def reward_of(
    reward_text: bytes | None,
    reward_json: bytes | None,
    chosen_key: str,
    scale: ScoreScale = UNIT_SCALE,
) -> Grade:
    """Return the grade from the contents of `reward.txt` and `reward.json`; None if one is missing.

    The score is the value of `chosen_key` in reward.json. Without a chosen key, it is the
    number in reward.txt, or else the value of `reward` in reward.json, or else its only value.
    Values of other keys are metrics. A reward that is not on the scale is no score: a grade without
    a score says why in its details.
    """
    values: dict[str, float] = {}
    if reward_json is not None:
        try:
            # A number of 5,000 digits would be an error as an int. As a float it is infinite.
            values = _numbers(json.loads(reward_json, parse_int=float))
        except (ValueError, RecursionError) as error:
            return Grade(None, (f"reward.json cannot be read: {error}",))

    if reward_text is not None and not chosen_key:
        return _grade_of_text(reward_text, values, scale)
    if not values:
        return Grade(None, ("the verifier left no reward",))
    return _grade_of_key(chosen_key or _default_key(values), values, scale)


def _grade_of_text(
    reward_text: bytes, metrics: dict[str, float], scale: ScoreScale
) -> Grade:
    """Return the grade with the number in reward.txt as the score."""
    try:
        if b"_" in reward_text:  # Python reads `1_0` as 10.
            raise ValueError
        reward = float(reward_text)
    except ValueError:
        line = f"reward.txt holds no number: {reward_text[:100]!r}"
        return _grade(None, [line], metrics)
    return _grade_of_reward(reward, metrics, scale)


def _grade_of_reward(
    reward: float, metrics: dict[str, float], scale: ScoreScale
) -> Grade:
    """Return the grade with a reward as the score, if it is one."""
    score = scale.score_of(reward)
    if score is not None:
        return _grade(score, [], metrics)
    lines = [scale.fault_of(reward)]
    if finite_number(reward) is not None and scale != ANY_NUMBER:
        lines.append("--set scale=any takes any number as the score")
    return _grade(None, lines, metrics)


def _grade(score: float | None, lines: list[str], metrics: dict[str, float]) -> Grade:
    """Return a grade with the metrics that are finite numbers, and a line for each other."""
    sound, faults = sound_metrics(metrics)
    return Grade(score, (*lines, *faults), sound)


def _default_key(values: dict[str, float]) -> str:
    """Return the key of the score unless the user chooses one: `reward`, or else the only key.

    If there are only several other keys, it is `reward` all the same, and there is no score.
    """
    if "reward" not in values and len(values) == 1:
        (only_key,) = values
        return only_key
    return "reward"


def _grade_of_key(key: str, values: dict[str, float], scale: ScoreScale) -> Grade:
    """Return the grade with the value of this key as the score, and the others as metrics."""
    if key not in values:
        names = ", ".join(values)
        line = f"reward.json has no {key!r}, but {names}: choose with --set reward=NAME"
        return _grade(None, [line], values)
    metrics = dict(values)
    return _grade_of_reward(metrics.pop(key), metrics, scale)


def _numbers(data: object) -> dict[str, float]:
    """Return the numbers of a JSON object by key. Raises `ValueError` for other data."""
    if not isinstance(data, dict):
        msg = "it is not an object"
        raise ValueError(msg)  # noqa: TRY004 - the caller treats all bad data alike
    numbers = {}
    for name, value in data.items():
        if isinstance(value, bool | float):  # All numbers are read as floats.
            numbers[name] = float(value)
    return numbers


# The files that a verifier left in a container: the rewards, and the output of its tests.
#
# A verifier writes a score to `reward.txt`, or several to `reward.json`. One command reads
# both files and the end of the output, because a command in a container takes some tenths
# of a second.

LOGS: Final = "/logs/verifier"
_OUTPUT: Final = f"{LOGS}/test-stdout.txt"
"""The verifier's output, in the same place as in Harbor."""

_MAX_REWARD_BYTES: Final = 100_000
_READ_LOGS: Final = f"""
bytes=$1; separator=$2; shift 2
for name in "$@"; do
    path="{LOGS}/$name"
    if [ -f "$path" ]; then
        echo present
        head -c "$bytes" "$path"
    fi
    printf %s "$separator"
done
tail -c 4000 {_OUTPUT}
"""
"""Prints files, each followed by a separator, and then the end of the output.

`$1` is the most bytes of a file, `$2` the separator; the names of the files follow. With `=`
as the separator, a reward.txt with `1` and no reward.json give:

    present
    1==the end of the output
"""


@dataclass(frozen=True, slots=True)
class _VerifierLogs:
    """The files that a verifier left. A reward is None if its file is missing."""

    reward_text: bytes | None
    reward_json: bytes | None
    output_end: bytes
    """The end of the tests' output."""


class _ProgramsFailed(Exception):
    """Programs of a running container fail. The message has the last lines of their output."""


def _failure(container: Container, fault: str, result: CommandResult) -> Exception:
    """Return the error for a command that failed in a container.

    It is a `ContainerError` if the container does not run: by an exit code, its programs
    could say anything.
    """
    message = "\n".join([fault, *last_lines(result.stderr)])
    if container.is_running():
        return _ProgramsFailed(message)
    return ContainerError(message)


def read_logs(container: Container) -> _VerifierLogs:
    """Read the files that the verifier left.

    Raises `ContainerError` if that fails, and `_ProgramsFailed` if the container's programs do.
    """
    # The separator is created after the tests have run, so none of their files contains it.
    separator = secrets.token_hex(16)
    result = container.script(
        _READ_LOGS, str(_MAX_REWARD_BYTES), separator, "reward.txt", "reward.json"
    )
    try:
        printed_text, printed_json, output_end = result.stdout.split(separator.encode())
    except ValueError:  # There are not three parts: the command failed before the end.
        raise _failure(container, "the reward cannot be read", result) from None
    return _VerifierLogs(_content(printed_text), _content(printed_json), output_end)


def _content(printed_file: bytes) -> bytes | None:
    """Return the content of a file as `_READ_LOGS` prints it; None if the file is missing.

    The content is below the line `present`.
    """
    first_line, _, content = printed_file.partition(b"\n")
    return content if first_line == b"present" else None


TESTS: Final = "/tests"

# The programs that run in the container, in this order. If the tests take too long,
# `_END_TESTS` follows `_RUN_TESTS`.

_PREPARE: Final = (
    f"rm -rf {TESTS} {LOGS} && mkdir -p {TESTS} {LOGS} && chmod 777 {LOGS}"
)
_GROUP_FILE: Final = "/tmp/verifier-group"
"""Has the id of the process group of the tests: the shell that starts them leads the group."""
_RUN_TESTS: Final = f'echo $$ >{_GROUP_FILE}; bash {TESTS}/test.sh >"{_OUTPUT}" 2>&1'
"""The output goes to a file. With a pipe, background processes of the tests would keep it open."""
_END_TESTS: Final = f'kill -KILL -- "-$(cat {_GROUP_FILE})"'
"""Kills the process group. `kill` takes a number with a minus as the id of a group."""


def _grade_of(
    container: Container,
    task: HarborTask,
    place: CommandPlace,
    reward_name: str,
    scale: ScoreScale,
) -> Grade:
    """Run the verifier, which is the task's tests, and return the grade.

    The grade has no score if the tests leave no reward (a file with the score), or are ended after
    their time limit, whatever they have left by then. `place` has the user, folder and variables of
    the tests.

    So it has none if the container's own programs fail, which the agent may have replaced: a
    resumed run would find no better ones.

    Raises `BenchmarkError` if the container fails or the run is being stopped. Its code
    FAILED_PRECONDITION says that the trial has ended: a resumed run only grades it again.
    """
    try:
        _prepare_folders(container, task)
        timed_out = _run_tests(container, place, task.file.verifier.timeout_sec)
        logs = read_logs(container)
    except _ProgramsFailed as error:
        return Grade(None, tuple(str(error).splitlines()))
    except CommandInterrupted as error:
        msg = "the verifier was interrupted: a resumed run starts it again"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg) from error
    except ContainerError as error:
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, str(error)) from error

    output_lines = last_lines(logs.output_end)
    if timed_out:
        limit_s = task.file.verifier.timeout_sec
        line = f"the verifier was ended after {limit_s:g} s: a reward that it left does not count"
        return Grade(None, (line, *output_lines))
    grade = reward_of(logs.reward_text, logs.reward_json, reward_name, scale)
    if grade.score == 1:
        return grade
    return Grade(grade.score, (*grade.details, *output_lines), grade.metrics)


def _prepare_folders(container: Container, task: HarborTask) -> None:
    """Empty the verifier's folders and copy the tests.

    Raises `ContainerError`, and `_ProgramsFailed` if the folders cannot be emptied.
    """
    prepared = container.script(_PREPARE)
    if prepared.exit_code != 0:
        raise _failure(
            container, "the folders of the verifier cannot be made", prepared
        )
    try:
        with task.files.copied(task.tests_folder) as tests:
            container.copy_in(tests, TESTS)
    except SetFileError as error:
        raise ContainerError(str(error)) from error


def _run_tests(container: Container, place: CommandPlace, timeout_s: float) -> bool:
    """Run `test.sh`. Return True if it was ended after its time limit.

    Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
    """
    result = container.run(
        ["/bin/sh", "-c", _RUN_TESTS],
        place,
        timeout_s=timeout_s,
        while_waiting=container.program.raise_if_stopped,
    )
    if result.timed_out:
        container.script(_END_TESTS)
    return result.timed_out


# Grades the trials of a Harbor benchmark when they have ended, and removes their containers.
#
# If grading fails, such as when the run is stopped, the container stays, and a resumed run
# grades the trial again.


@dataclass(frozen=True, slots=True)
class TrialGrading:
    """Grades trials by the verifiers of their tasks. Many threads share it."""

    settings: HarborSettings
    containers: TrialContainers
    solution_player: SolutionPlayer
    """Knows the tasks whose own solution was run, in place of a model."""
    context: BenchmarkContext

    def grade(self, task: HarborTask, opened: TrialContainer) -> Grade:
        """Run the verifier of a trial that has ended, and remove the container.

        Raises `BenchmarkError` with the code FAILED_PRECONDITION: a resumed run grades again.
        """
        container_settings = self.settings.containers
        network = network_of(task, container_settings)
        try:
            network.switch_for_verifier(opened.container)
        except ContainerError as error:
            raise BenchmarkError(error_codes.FAILED_PRECONDITION, str(error)) from error
        except CommandInterrupted as error:
            msg = "the verifier did not start: a resumed run starts it"
            raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg) from error
        place = opened.command_place(task.file.verifier, container_settings)
        grade = _grade_of(
            opened.container, task, place, self.settings.reward, self.settings.scale
        )
        if task.task_id in self.solution_player.played:
            self._tell_of_failed_solution(task, grade)
        self.containers.end(opened.container)
        return grade

    def _tell_of_failed_solution(self, task: HarborTask, grade: Grade) -> None:
        """Tell the user if a task's own solution does not get the full reward."""
        if grade.score is None:
            score = f"no score: {grade.details[0]}"
        elif grade.score < 1:
            score = f"the reward {grade.score:g}"
        else:
            return
        self.context.notify(f"{task.task_id}: its own solution gets {score}")

"""Grades a trial as Harbor does: runs the task's tests in its container and reads the reward.

The verifier of a task is `tests/test.sh`. It looks at what the agent has done, and writes
the score to `/logs/verifier/reward.txt` or `reward.json`.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmark import BenchmarkError
from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    ContainerError,
    last_lines,
)
from controlplane.benchmarks.containers.set_files import SetFileError
from controlplane.benchmarks.harbor.reward import reward_of
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask
from controlplane.benchmarks.harbor.verifier_logs import LOGS, OUTPUT, read_logs
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.sandbox.interface import error_codes
from controlplane.score_scale import ScoreScale

TESTS: Final = "/tests"

# The programs that run in the container, in this order. If the tests take too long,
# `END_TESTS` follows `RUN_TESTS`.

PREPARE: Final = f"rm -rf {TESTS} {LOGS} && mkdir -p {TESTS} {LOGS} && chmod 777 {LOGS}"
GROUP_FILE: Final = "/tmp/verifier-group"
"""Has the id of the process group of the tests: the shell that starts them leads the group."""
RUN_TESTS: Final = f'echo $$ >{GROUP_FILE}; bash {TESTS}/test.sh >"{OUTPUT}" 2>&1'
"""The output goes to a file. With a pipe, background processes of the tests would keep it open."""
END_TESTS: Final = f'kill -KILL -- "-$(cat {GROUP_FILE})"'
"""Kills the process group. `kill` takes a number with a minus as the id of a group."""


def grade_of(
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

    Raises `BenchmarkError` if the container fails or the run is being stopped. Its code
    FAILED_PRECONDITION says that the trial has ended: a resumed run only grades it again.
    """
    try:
        _prepare_folders(container, task)
        timed_out = _run_tests(container, place, task.file.verifier.timeout_sec)
        logs = read_logs(container)
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
    """Empty the verifier's folders and copy the tests. Raises `ContainerError`."""
    prepared = container.script(PREPARE)
    if prepared.exit_code != 0:
        lines = last_lines(prepared.stderr)
        raise ContainerError(
            "\n".join(["the folders of the verifier cannot be made", *lines])
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
        ["/bin/sh", "-c", RUN_TESTS],
        place,
        timeout_s=timeout_s,
        while_waiting=container.program.raise_if_stopped,
    )
    if result.timed_out:
        container.script(END_TESTS)
    return result.timed_out

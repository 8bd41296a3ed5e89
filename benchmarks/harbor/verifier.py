"""Grades a trial as Harbor does: runs the task's tests in its container and reads the reward.

The verifier of a task is `tests/test.sh`. It looks at what the agent has done, and writes
the score to `/logs/verifier/reward.txt` or `reward.json`.
"""

from __future__ import annotations

import fnmatch
import json
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from controlplane.benchmark import GRADER_OUTPUT, BenchmarkContext, BenchmarkError
from controlplane.benchmarks.containers.container import (
    ROOT,
    CommandInterrupted,
    CommandPlace,
    CommandResult,
    Container,
    ContainerFiles,
    last_lines,
    own_program,
)
from controlplane.benchmarks.containers.container_runtime import TrialServices
from controlplane.benchmarks.containers.container_settings import ContainerError
from controlplane.benchmarks.containers.set_files import SetFileError
from controlplane.benchmarks.harbor.players import SolutionPlayer
from controlplane.benchmarks.harbor.tasks import (
    MAIN,
    ArtifactTable,
    CollectTable,
    HarborTask,
)
from controlplane.benchmarks.harbor.trial_containers import TrialContainers
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import error_codes
from controlplane.score_scale import ANY_NUMBER, shown_value, sound_metrics
from controlplane.tool_benchmark.local_runs import Grade

# Reads the reward that the tests of a task leave: reward.json, or else reward.txt.
#
# For example, reward.json may be `{"reward": 0.5, "speed": 12}`, or one bare number.


def reward_of(
    reward_text: bytes | None, reward_json: bytes | None, chosen_key: str
) -> Grade:
    """Return the grade from the contents of `reward.txt` and `reward.json`; None if one is missing.

    The score is the value of `chosen_key` in reward.json. Without a chosen key, it is the value
    of `reward` there, or else its only value; without reward.json, the number in reward.txt. Values
    of other keys are metrics. Any finite number is a score. A grade without a score says why in
    its details.
    """
    if reward_json is not None:
        try:
            # A number of 5,000 digits would be an error as an int. As a float it is infinite.
            rewards = json.loads(reward_json, parse_int=float)
        except (ValueError, RecursionError) as error:
            return Grade(None, (f"reward.json cannot be read: {error}",))
    elif reward_text is not None:
        try:
            if b"_" in reward_text:  # Python reads `1_0` as 10.
                raise ValueError
            rewards = float(reward_text)
        except ValueError:
            return Grade(None, (f"reward.txt holds no number: {reward_text[:100]!r}",))
    else:
        return Grade(None, ("the verifier left no reward",))
    if not isinstance(rewards, dict):
        rewards = {"reward": rewards}
    for name, value in rewards.items():
        if not isinstance(value, bool | float):
            fault = f"reward.json has no number but {shown_value(value)} as {shown_value(name)}"
            return Grade(None, (fault,))

    metrics = {name: float(value) for name, value in rewards.items()}
    key = chosen_key or "reward"
    if not chosen_key and key not in metrics and len(metrics) == 1:
        (key,) = metrics
    score: float | None = None
    lines: list[str] = []
    if key in metrics:
        reward = metrics.pop(key)
        score = ANY_NUMBER.score_of(reward)
        if score is None:
            lines.append(ANY_NUMBER.fault_of(reward))
    else:
        names = ", ".join(metrics) or "nothing"
        lines.append(
            f"reward.json has no {key!r}, but {names}: choose with --set reward=NAME"
        )
    sound, faults = sound_metrics(metrics)
    return Grade(score, (*lines, *faults), sound)


# Reads the summary that pytest prints, by which Terminal-Bench's first tasks are graded.

_SUMMARY: Final = b"short test summary info"
_GOOD_ENDS: Final = (b"PASSED", b"SKIPPED", b"XFAIL")
_BAD_ENDS: Final = (b"FAILED", b"ERROR", b"XPASS")


def reward_of_summary(output: bytes) -> Grade:
    """Return the grade from the output of `pytest -rA`: 1 if no test has failed, 0 if one has.

    Below the heading `short test summary info`, each test has a line: `PASSED
    tests/test_outputs.py::test_hello`. A program may have printed such lines, too, so one that says
    that a test has failed decides. Without a summary there is no score.
    """
    _, _, summary = output.partition(_SUMMARY)
    lines = summary.splitlines()
    if any(line.startswith(_BAD_ENDS) for line in lines):
        return Grade(0.0)
    if any(line.startswith(_GOOD_ENDS) for line in lines):
        return Grade(1.0)
    return Grade(None, ("run-tests.sh has printed no summary of pytest (pytest -rA)",))


# The files of a verifier in its container: its tests, the rewards, and the output of its tests.
#
# An agent may be root, and has had the container for itself: it may have put anything in the place of
# these files, and of the container's programs. So podman or docker writes and reads the files.

_LOGS: Final = "/logs/verifier"
_TESTS: Final = "/tests"
_OUTPUT: Final = GRADER_OUTPUT.name
"""The verifier's output, in the same place as in Harbor."""
_REMOVED: Final = ("reward.txt", "reward.json", "ctrf.json")
"""What only the verifier may leave. All other files of the agent and the image stay."""
_MOST_LOG_BYTES: Final = 20_000_000
_MAX_REWARD_BYTES: Final = 100_000

# The programs that run in the container, in this order. If the tests take too long,
# `_END_TESTS` follows `_RUN_TESTS`.

_PREPARE: Final = f"""
for folder in /logs {_LOGS} {_TESTS}; do
  [ ! -L "$folder" ] || rm -f "$folder"
done
mkdir -p {_TESTS} {_LOGS} && chmod 777 {_LOGS} && cd {_LOGS} && rm -rf {" ".join(_REMOVED)} || exit 1
[ ! -e {_OUTPUT} ] && [ ! -L {_OUTPUT} ] || rm -rf {_OUTPUT}
cd {_TESTS} || exit 1
# What stands where the task has a folder, a folder stays; what stands where it has a file goes.
while IFS= read -r line; do
  name=${{line#?}}
  if [ ! -e "$name" ] && [ ! -L "$name" ]; then continue; fi
  case $line in d*) [ -d "$name" ] && [ ! -L "$name" ] && continue ;; esac
  rm -rf "$name" || exit 1
done
exit 0
"""
"""Reads the names of the task's own files from its input: `dlib` is a folder, `ftest.sh` a file."""
_RUN_TESTS: Final = f"""
echo $$ >"$1"
run="($2) >{_LOGS}/{_OUTPUT} 2>&1"
if command -v bash >/dev/null 2>&1; then bash -c "$run"; else sh -c "$run"; fi
"""
"""`$2` is a program, whose first line says in which language. Without one, the shell reads it.

The output goes to a file. With a pipe, background processes of the tests would keep it open. `$1` gets
the id of the process group of the tests: the shell that starts them leads the group.
"""
_END_TESTS: Final = 'kill -KILL -- "-$(cat "$1")"'
"""Kills the process group. `kill` takes a number with a minus as the id of a group."""


class _NoScore(Exception):
    """There is no score, and a resumed run would find none either. The message has the reason."""


def _failure(container: Container, fault: str, result: CommandResult) -> Exception:
    """Return the error for a command that failed in a container.

    It is a `ContainerError` if the container does not run: by an exit code, its programs
    could say anything.
    """
    message = "\n".join([fault, *last_lines(result.stderr)])
    if container.goes_on():
        return _NoScore(message)
    return ContainerError(message)


def _prepare_folders(container: Container, task: HarborTask) -> None:
    """Remove rewards from the verifier's folder, and copy the tests, in place of what stands there.

    Raises `ContainerError`, and `_NoScore` if that cannot be done.
    """
    names = []
    for name, is_folder in task.files.names(task.tests_folder):
        names.append(("d" if is_folder else "f") + name)
    names.append(f"f{task.test_program.name}")
    prepared = container.run(
        own_program(_PREPARE),
        ROOT,
        stdin="".join(f"{name}\n" for name in names).encode(),
    )
    if prepared.exit_code != 0:
        raise _failure(
            container, "the folders of the verifier cannot be made", prepared
        )
    try:
        with task.files.copied(task.tests_folder) as tests:
            program = tests / task.test_program.name
            if task.has_first_form or program.is_symlink():
                content = task.files.read(task.test_program, _MOST_LOG_BYTES)
                program.unlink(missing_ok=True)
                write_whole(program, content or b"")
            if program.is_file():
                program.chmod(program.stat().st_mode | 0o111)
            container.copy_in(tests, _TESTS)
    except (SetFileError, OSError) as error:
        raise ContainerError(str(error)) from error
    except ContainerError as error:
        if container.goes_on():
            msg = f"the tests cannot be copied: {error}"
            raise _NoScore(msg) from error
        raise


def _check_removed(container: Container, moment: str) -> None:
    """Raise `_NoScore` if a reward is there at a moment at which only the agent can have made it.

    A process that writes a file again and again may break the copy of its folder off. Then each
    file is asked for alone: whatever there is of it, is there.
    """
    names = (*_REMOVED, _OUTPUT)
    files = container.files_at(_LOGS, _MOST_LOG_BYTES)
    if files is not None and not files.is_cut:
        left = [name for name in names if name in files.contents]
    else:
        left = [name for name in names if _is_there(container, f"{_LOGS}/{name}")]
    if left:
        msg = (
            f"{left[0]} is there {moment}, although it was removed: a process that "
            "the agent has left makes it again, or a program of the container does not remove it"
        )
        raise _NoScore(msg)


def _check_made_once(container: Container) -> None:
    """Remove what the tests have left, and raise `_NoScore` if a reward is there again.

    Then a process of the agent makes it again and again, and may have begun after the first look.
    """
    names = " ".join((*_REMOVED, _OUTPUT))
    removed = container.script(f"cd {_LOGS} && rm -rf {names}")
    if removed.exit_code == 0:
        _check_removed(container, "after the tests have ended")
    elif container.goes_on():
        msg = "a program of the container does not remove what the tests have left"
        raise _NoScore(msg)
    # Tests may leave a container in which nothing runs any more. Their reward counts.


def _is_there(container: Container, path: str) -> bool:
    return container.files_at(path, _MAX_REWARD_BYTES) is not None


def _run_tests(
    container: Container, program: str, place: CommandPlace, timeout_s: float
) -> tuple[ContainerFiles, bool]:
    """Run the program of the tests. Return the verifier's files, and whether it took too long.

    Raises `ContainerError`, `_NoScore` if there are no files, and `CommandInterrupted` if the run
    is being stopped.
    """
    group_file = f"/tmp/verifier-{secrets.token_hex(6)}"
    result = container.run(
        ["/bin/sh", "-c", _RUN_TESTS, "sh", group_file, program],
        place,
        timeout_s=timeout_s,
    )
    if result.timed_out:
        container.script(_END_TESTS, group_file)
    files = container.files_at(_LOGS, _MOST_LOG_BYTES)
    if files is None:
        raise _failure(container, "the reward cannot be read", result)
    contents = dict(files.contents)
    if files.is_cut:
        # The rewards may be behind what was too long.
        for name in ("reward.txt", "reward.json"):
            single = container.files_at(f"{_LOGS}/{name}", _MAX_REWARD_BYTES)
            if single is not None and "" in single.contents:
                contents[name] = single.contents[""]
    return ContainerFiles(contents, files.is_cut), result.timed_out


# What a trial leaves: the files that its task collects from containers, and a folder for a reader.
#
# trial-folder/
#   verifier/test-stdout.txt, ctrf.json, reward.txt     all files of /logs/verifier
#   agent/oracle.txt                                    all files of /logs/agent
#   artifacts/app/report.csv                            what `artifacts` of task.toml names

_CONVENTION: Final = "/logs/artifacts"
"""The folder whose files are collected, whatever task.toml says."""
_LOGS_TOP: Final = "/logs"
_MOST_BYTES: Final = 50_000_000
"""The most bytes of one artifact."""


def _keep(files: ContainerFiles | None, folder: Path | None, name: str) -> None:
    """Write files below `name` in the folder of a trial; do nothing if it has none.

    What cannot be written is left out.
    """
    if folder is None or files is None:
        return
    for path, content in files.contents.items():
        if path.startswith("/") or ".." in PurePosixPath(path).parts:
            continue
        # Such as a name with half of a surrogate pair, or one that is too long.
        with suppress(OSError, ValueError):
            write_whole(
                folder / name / path if path else folder / name, content, folder
            )


def _collect(
    task: HarborTask,
    opened: TrialServices,
    context: BenchmarkContext,
    folder: Path | None,
) -> Mapping[str, ContainerFiles]:
    """Run the commands that collect, take the artifacts, and return these by their paths in a container.

    The services follow the agent's container. A command that fails is told, and costs nothing else. Raises
    `ContainerError`, and `CommandInterrupted` if the run is being stopped.
    """
    main_name = opened.project.main_name
    collected: dict[str, ContainerFiles] = {}
    places: set[str] = set()
    for service, container in opened.containers.items():
        names = (service, MAIN) if service == main_name else (service,)
        for hook in task.file.verifier.collect:
            if hook.service in names:
                fault = _fault_of_hook(hook, container)
                if fault:
                    context.notify(f"{task.task_id}: {service}: {fault}")
        logs: ContainerFiles | None = None
        if service == main_name:
            # One command reads what the agent and its hooks have left in the usual folders.
            logs = container.files_at(_LOGS_TOP, _MOST_BYTES)
            _keep(_below(logs, "agent"), folder, "agent")
        for artifact in _artifacts_of(task):
            if artifact.service not in names or artifact.place in places:
                continue
            is_usual = artifact.source.rstrip("/") == _CONVENTION
            if is_usual and logs is not None and not logs.is_cut:
                files = _below(logs, "artifacts")
            else:
                files = container.files_at(artifact.source, _MOST_BYTES)
            if files is None:
                continue
            places.add(artifact.place)
            kept = _without_excluded(files, artifact)
            collected[artifact.source] = kept
            _keep(kept, folder, f"artifacts/{artifact.place}")
    return collected


def _below(files: ContainerFiles | None, name: str) -> ContainerFiles | None:
    """Return the files of a folder among those that were read."""
    if files is None:
        return None
    start = f"{name}/"
    paths = [path for path in files.contents if path.startswith(start)]
    contents = {path.removeprefix(start): files.contents[path] for path in paths}
    modes = {path.removeprefix(start): files.modes[path] for path in paths}
    return ContainerFiles(contents, files.is_cut, modes)


def _artifacts_of(task: HarborTask) -> Iterator[ArtifactTable]:
    """Yield what is collected: first the files of the usual folder."""
    artifacts = task.file.artifacts
    if all(artifact.source.rstrip("/") != _CONVENTION for artifact in artifacts):
        yield ArtifactTable(source=_CONVENTION)
    yield from artifacts


def _fault_of_hook(hook: CollectTable, container: Container) -> str:
    """Run a command of `[[verifier.collect]]`, and return why it fails; empty if it does not."""
    place = container.place
    result = container.run(
        ["/bin/sh", "-c", hook.command],
        CommandPlace(hook.user or place.user, place.workdir),
        timeout_s=hook.timeout_sec,
    )
    if result.exit_code == 0:
        return ""
    lines = last_lines(result.stdout + result.stderr)
    return f"the command that collects fails: {' '.join(lines)[:300]}"


def _without_excluded(files: ContainerFiles, artifact: ArtifactTable) -> ContainerFiles:
    """Return the files of an artifact but those that it excludes."""
    contents = {
        path: content
        for path, content in files.contents.items()
        if not any(_is_match(path, pattern) for pattern in artifact.exclude)
    }
    return ContainerFiles(contents, files.is_cut, files.modes)


def _is_match(path: str, pattern: str) -> bool:
    """Return True if a path, or one of its names, fits a pattern as those of `tar --exclude`."""
    names = PurePosixPath(path).parts
    return fnmatch.fnmatchcase(path, pattern) or any(
        fnmatch.fnmatchcase(name, pattern) for name in names
    )


def _upload(collected: Mapping[str, ContainerFiles], container: Container) -> None:
    """Put collected files into the container of a separate verifier, where they were before.

    Raises `ContainerError`, also if a file was too long to be collected whole.
    """
    for source, files in collected.items():
        if files.is_cut:
            msg = f"the artifact {source} has more than {_MOST_BYTES:,} bytes"
            raise ContainerError(msg)
        with tempfile.TemporaryDirectory(prefix="controlplane-") as temporary:
            top = Path(temporary, "files")
            top.mkdir()
            is_file = set(files.contents) == {""}
            for path, content in files.contents.items():
                name = path or PurePosixPath(source).name
                place = top / name
                write_whole(place, content, top)
                place.chmod(files.modes.get(path, 0o644))
            target = str(PurePosixPath(source).parent) if is_file else source
            container.script('mkdir -p "$1"', target)
            container.copy_in(top, target)


# Grades the trials of a Harbor benchmark when they have ended, and removes their containers.
#
# If grading fails, such as when the run is stopped, the container stays, and a resumed run
# grades the trial again.


@dataclass(frozen=True, slots=True)
class TrialGrading:
    """Grades trials by the verifiers of their tasks. Many threads share it."""

    reward_key: str
    """The key in reward.json whose value is the score; empty for the default."""
    containers: TrialContainers
    solution_player: SolutionPlayer
    """Knows the tasks whose own solution was run, in place of a model."""
    context: BenchmarkContext

    def grade(
        self, task: HarborTask, opened: TrialServices, trial_id: str, run_token: str
    ) -> Grade:
        """Run the verifier of a trial that has ended, and remove the containers.

        There is no score

        - if the tests leave no reward, a file with the score;
        - if they are ended after their time limit, even if they have left a reward;
        - if the container's own programs fail. The agent may have replaced them, so a resumed run would
          fail, too.

        Raises `BenchmarkError` with the code FAILED_PRECONDITION: a resumed run grades again.
        """
        folder = self.context.folders.of(trial_id)
        try:
            grade = self._grade(task, opened, trial_id, run_token, folder)
        except CommandInterrupted as error:
            msg = "the verifier was interrupted: a resumed run starts it again"
            raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg) from error
        except ContainerError as error:
            raise BenchmarkError(error_codes.FAILED_PRECONDITION, str(error)) from error
        is_full = grade.score is not None and grade.score >= 1
        if not is_full and task.task_id in self.solution_player.played:
            if grade.score is None:
                score = f"no score: {grade.details[0]}"
            else:
                score = f"the reward {grade.score:g}"
            self.context.notify(f"{task.task_id}: its own solution gets {score}")
        if not is_full and folder is not None:
            line = f"what the trial has left is in {folder}"
            # After the reason, and before further lines, for which a table may have no room.
            details = (*grade.details[:1], line, *grade.details[1:])
            grade = Grade(grade.score, details, grade.metrics)
        self.containers.end(opened)
        return grade

    def _grade(
        self,
        task: HarborTask,
        opened: TrialServices,
        trial_id: str,
        run_token: str,
        folder: Path | None,
    ) -> Grade:
        """Collect what the agent has left, and run the verifier on it."""
        collected = _collect(task, opened, self.context, folder)
        verifier = opened
        if task.file.verifier.is_separate:
            verifier = self.containers.open_for_verifier(task, trial_id, run_token)
        else:
            self.containers.switch_network(task, opened)
        try:
            if verifier is not opened:
                _upload(collected, verifier.main)
            files, is_late = self._run_verifier(task, verifier.main)
            _keep(files, folder, GRADER_OUTPUT.parent.name)
            grade = self._reward_of(task, files)
            if is_late:
                limit_s = task.file.verifier.timeout_sec
                line = f"the verifier was ended after {limit_s:g} s: a reward that it left does not count"
                grade = Grade(None, (line,))
            elif grade.score and verifier is opened:
                _check_made_once(opened.main)
        except _NoScore as error:
            return Grade(None, tuple(str(error).splitlines()))
        finally:
            if verifier is not opened:
                verifier.remove()
        if grade.score is not None and grade.score >= 1:
            return grade
        # The last lines that the tests have printed say why.
        lines = last_lines(files.contents.get(_OUTPUT, b"")[-4000:])
        return Grade(grade.score, (*grade.details, *lines), grade.metrics)

    def _reward_of(self, task: HarborTask, files: ContainerFiles) -> Grade:
        """Return the grade that the files of the verifier's folder say."""
        if task.has_first_form:
            return reward_of_summary(files.contents.get(_OUTPUT, b""))
        return reward_of(
            files.contents.get("reward.txt"),
            files.contents.get("reward.json"),
            self.reward_key,
        )

    def _run_verifier(
        self, task: HarborTask, container: Container
    ) -> tuple[ContainerFiles, bool]:
        """Run the tests of a task. Return the verifier's files, and whether they took too long."""
        verifier = task.file.verifier
        if verifier.is_separate and task.has_bundled_tests:
            container.script(f"chmod +x {_TESTS}/test.sh")
        else:
            _prepare_folders(container, task)
            _check_removed(container, "before the tests run")
        program = f"{_TESTS}/{task.test_program.name}"
        if task.has_first_form:
            program = f"bash {program}"
        place = self.containers.place(container, verifier)
        return _run_tests(container, program, place, verifier.timeout_sec)

"""`doctor` starts a container where a benchmark needs them, since only that shows whether one can.

Programs in the place of podman answer as it does: one that has an image and starts nothing, and
one that has no image.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES, missing_reason
from tests.benchmarks.harbor.container_runs import write_task
from tests.controlplane.commands.doctor.examined_model import findings
from tests.support.command import CommandResult, run_controlplane, run_in_process

STARTS_NOTHING = """#!/bin/sh
case "$1" in
images) echo docker.io/library/debian:12;;
run) echo "Error: crun: cannot set rlimit: Operation not permitted" >&2; exit 126;;
esac
"""
HAS_NO_IMAGE = """#!/bin/sh
case "$1" in
image) echo "no such image" >&2; exit 125;;
esac
"""
STARTS_CONTAINERS = """#!/bin/sh
case "$1" in
images) echo docker.io/library/debian:12;;
esac
"""


def doctor_words(folder: Path, *options: str) -> tuple[str, ...]:
    """Write a task, and return the words that examine whether it can be played."""
    task = write_task(folder / "task")
    words = ("doctor", "--isolation=language", f"--benchmark=harbor:{task}")
    return (*words, "--model=nothing", *options)


def examine_with(program: str, folder: Path, *options: str) -> CommandResult:
    """Run `doctor` with a program in the place of podman."""
    (folder / "bin").mkdir()
    (folder / "bin/podman").write_text(program)
    (folder / "bin/podman").chmod(0o755)
    words = doctor_words(folder, *options)
    return run_in_process(*words, cwd=folder, PATH=f"{folder}/bin")


def test_a_machine_that_starts_no_container_is_a_fault(tmp_path: Path) -> None:
    result = examine_with(STARTS_NOTHING, tmp_path, "--json")

    assert result.code == 1
    assert result.json["works"] is False
    (text,) = findings(result)["containers"]
    assert text.startswith("fault: podman could not start a container")
    assert "cannot set rlimit" in text


def test_without_an_image_nobody_can_know(tmp_path: Path) -> None:
    result = examine_with(HAS_NO_IMAGE, tmp_path)

    assert result.code == 1
    assert "no image is on this machine" in result.out
    assert result.out.endswith("whether a run would work cannot be known\n")


def test_a_container_that_starts_is_told(tmp_path: Path) -> None:
    result = examine_with(STARTS_CONTAINERS, tmp_path, "--json")

    assert result.code == 0
    assert result.json["works"] is True
    expected = "ok: podman starts one of docker.io/library/debian:12"
    assert findings(result)["containers"] == [expected]


@pytest.mark.second_tier
def test_podman_starts_a_container(tmp_path: Path) -> None:
    reason = missing_reason()
    if reason:
        pytest.skip(reason)
    words = doctor_words(tmp_path, "--json")
    result = run_controlplane(*words, cwd=tmp_path, **PROCESS_VARIABLES)

    assert result.json["works"] is True, result.out

"""A task that cannot be read is told by name, and the other tasks of its folder are played.

Anybody may have written a task: a folder of many tasks from several authors has a faulty one.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.harbor.harbor_benchmark import read_tasks
from tests.benchmarks.harbor.task_file.written_task import (
    write_and_read_task,
    write_and_read_task_with_compose_file,
)

IMAGE = "services:\n  main:\n    image: debian\n"
BOMB = "x-a: &a [aaaaaaaa,aaaaaaaa]\n" + "".join(
    f"x-{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
"""By its aliases, a short text that stands for gigabytes."""


@pytest.mark.parametrize(
    ("toml", "fault"),
    [
        pytest.param("[agent", "task.toml", id="no TOML"),
        pytest.param("a = " + "[" * 3_000, "nested too deeply", id="3,000 brackets"),
        pytest.param(
            f"[environment]\ncpus = 1{'0' * 400}", "300 digits", id="400 digits"
        ),
        pytest.param("[agent]\ntimeout_sec = inf", "finite", id="time without end"),
        pytest.param(
            f'[environment]\nmemory = "{"9" * 400}G"', "too large", id="memory"
        ),
        pytest.param(
            '[environment]\nworkdir = "/a\\u0000b"', "NUL", id="path with NUL"
        ),
        pytest.param(
            '[environment]\nenv = {"A\\u0000" = "b"}', "NUL", id="name with NUL"
        ),
    ],
)
def test_a_faulty_task_toml_costs_only_its_own_task(
    tmp_path: Path, toml: str, fault: str
) -> None:
    write_and_read_task(tmp_path / "good", "")
    write_and_read_task(tmp_path / "bad", "")
    (tmp_path / "bad/task.toml").write_text(toml)

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["good"]
    assert list(folder.refusals) == ["bad"]
    assert fault in folder.refusals["bad"]


@pytest.mark.parametrize(
    ("compose", "fault"),
    [
        pytest.param(f"{IMAGE}    cpus: 1{'0' * 400}\n", "300 digits", id="400 digits"),
        pytest.param(
            f"{IMAGE}    cpus: .nan\n", "not a number of cores", id="no number"
        ),
        pytest.param(
            f"{IMAGE}    cpus: 1e999\n", "not a number of cores", id="infinite"
        ),
        pytest.param(f"{IMAGE}    cpus: !!int ''\n", "cannot be read", id="parser"),
        pytest.param(f'{IMAGE}    working_dir: "/a\\0"\n', "NUL", id="path with NUL"),
        pytest.param(f"{BOMB}{IMAGE}    working_dir: *j\n", "aliases", id="folder"),
        pytest.param(
            f"{BOMB}{IMAGE}    environment: {{A: *j}}\n", "aliases", id="name"
        ),
        pytest.param(f"{BOMB}{IMAGE}    mem_limit: *j\n", "aliases", id="memory"),
    ],
)
def test_a_faulty_compose_file_costs_only_its_own_task(
    tmp_path: Path, compose: str, fault: str
) -> None:
    write_and_read_task(tmp_path / "good", "")
    write_and_read_task_with_compose_file(tmp_path / "bad", compose)

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["good"]
    assert fault in folder.refusals["bad"]


def test_a_folder_whose_name_is_no_id_costs_only_its_own_task(tmp_path: Path) -> None:
    write_and_read_task(tmp_path / "good", "")
    write_and_read_task(tmp_path / "001. my task", "")
    write_and_read_task(tmp_path / "\x1b[2J", "")

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["good"]
    assert set(folder.refusals) == {"001. my task", "␛[2J"}
    assert "letters, digits" in folder.refusals["001. my task"]


def test_a_time_that_no_timer_can_wait_is_shortened(tmp_path: Path) -> None:
    task = write_and_read_task(tmp_path / "task", "[agent]\ntimeout_sec = 1e300\n")

    assert task.file.agent.timeout_sec == 1_000_000

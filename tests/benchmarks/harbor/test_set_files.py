"""Nothing outside of a set of tasks is read, whatever its links say, and no file without a bound.

A stranger's task could link its instruction to a key of the user, which would then go to the model.
The tests write a set of tasks, and beside it a file `private.txt` with the text "canary".
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.compose_file import ComposeBuild, ComposeService
from controlplane.benchmarks.containers.container import RuntimeProgram
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_settings import (
    ContainerError,
    ContainerSettings,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.harbor.harbor_benchmark import HarborFolder, read_tasks
from controlplane.benchmarks.harbor.players import solution_script
from controlplane.sandbox.interface import bounds

# Reading the files that a verifier has left in its container, by a short program there.
#
# The program needs only a shell and the usual commands, so this test runs it on this machine.


CANARY = "canary"


@pytest.fixture
def private(tmp_path: Path) -> Path:
    path = tmp_path / "private.txt"
    path.write_text(CANARY)
    return path


@pytest.fixture
def tasks(tmp_path: Path, private: Path) -> Path:
    """A set of two tasks in Harbor's format, `good` and `bad`, and a folder that they share."""
    root = tmp_path / "tasks"
    for name in ("good", "bad"):
        task = root / name
        for folder in ("environment", "tests", "solution"):
            (task / folder).mkdir(parents=True)
        (task / "task.toml").write_text("")
        (task / "instruction.md").write_text("Do it.\n")
        (task / "environment/Dockerfile").write_text("FROM base\n")
        (task / "tests/test.sh").write_text("exit 0\n")
        (task / "solution/solve.sh").write_text("exit 0\n")
    (root / "shared").mkdir()
    (root / "shared/text").write_text("Do it together.\n")
    return root


def replace_by_link(path: Path, target: str | Path) -> None:
    path.unlink()
    path.symlink_to(target)


def refusal_of_bad_task(tasks: Path) -> str:
    """Read the tasks, and return why `bad` is refused. The other task is played."""
    folder: HarborFolder = read_tasks(tasks)
    assert list(folder.tasks) == ["good"]
    return folder.refusals["bad"]


@pytest.mark.parametrize(
    "name",
    [
        "task.toml",
        "instruction.md",
        "environment/Dockerfile",
        "environment/.dockerignore",
        "environment/compose.yaml",
        "tests/test.sh",
    ],
)
@pytest.mark.parametrize(
    "target",
    [
        pytest.param("/proc/self/environ", id="variables of the process"),
        pytest.param("../../../private.txt", id="relative"),
        pytest.param("../private.txt", id="through a link of a folder"),
    ],
)
def test_a_task_with_a_link_out_of_the_set_is_refused_by_name(
    tasks: Path, name: str, target: str
) -> None:
    path = tasks / "bad" / name
    path.unlink(missing_ok=True)
    if target.count("..") == 1:
        (tasks / "outside").symlink_to(tasks.parent)
        path.symlink_to(tasks / "outside/private.txt")
    else:
        depth = name.count("/") + 2
        path.symlink_to(target.replace("../../..", "/".join([".."] * depth)))

    refusal = refusal_of_bad_task(tasks)

    assert Path(name).name in refusal
    assert "leads out of the tasks" in refusal
    assert CANARY not in refusal


@pytest.mark.parametrize("folder", ["environment", "tests"])
def test_a_folder_that_is_a_link_out_of_the_set_refuses_its_task(
    tasks: Path, folder: str
) -> None:
    moved = tasks.parent / "elsewhere"
    (tasks / "bad" / folder).rename(moved)
    (tasks / "bad" / folder).symlink_to(moved)

    assert "leads out of the tasks" in refusal_of_bad_task(tasks)


def test_a_task_whose_folder_is_a_link_out_of_the_set_is_refused(tasks: Path) -> None:
    moved = tasks.parent / "elsewhere"
    (tasks / "bad").rename(moved)
    (tasks / "bad").symlink_to(moved)

    assert "leads out of the tasks" in refusal_of_bad_task(tasks)


def test_a_link_within_the_set_is_followed(tasks: Path) -> None:
    replace_by_link(tasks / "bad/instruction.md", "../shared/text")

    assert read_tasks(tasks).tasks["bad"].instruction == "Do it together."


def test_a_link_to_the_set_itself_may_be_named_by_the_user(tasks: Path) -> None:
    (tasks.parent / "link").symlink_to(tasks)

    assert set(read_tasks(tasks.parent / "link").tasks) == {"good", "bad"}


def test_a_solution_with_a_link_out_of_the_set_is_not_read(
    tasks: Path, private: Path
) -> None:
    replace_by_link(tasks / "bad/solution/solve.sh", private)
    task = read_tasks(tasks).tasks["bad"]

    with pytest.raises(SetFileError, match=r"solve\.sh: it leads out of the tasks"):
        solution_script(task)


def test_a_solution_is_read_within_its_bound(tasks: Path) -> None:
    """The files are sparse: on disk, they take no room."""
    for name in ("a", "b"):
        with (tasks / "bad/solution" / name).open("wb") as file:
            file.truncate(300_000)
    task = read_tasks(tasks).tasks["bad"]

    with pytest.raises(SetFileError, match="more than 400,000 bytes"):
        solution_script(task)


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("task.toml", bounds.MOST_TEXT_BYTES),
        ("instruction.md", bounds.MOST_TEXT_BYTES),
        ("environment/compose.yaml", 100_000),
        ("environment/data.bin", bounds.MOST_BUILD_BYTES),
    ],
)
def test_a_task_with_a_file_beyond_a_bound_is_refused_by_name(
    tasks: Path, name: str, limit: int
) -> None:
    """The file is sparse: it takes no room on disk, but would take gigabytes of memory."""
    with (tasks / "bad" / name).open("wb") as file:
        file.truncate(6 << 30)

    refusal = refusal_of_bad_task(tasks)

    assert Path(name).name in refusal
    assert f"{limit:,} bytes" in refusal


def test_a_task_with_too_many_files_is_refused(
    tasks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_BUILD_FILES", 20)
    for number in range(20):
        (tasks / "bad/environment" / str(number)).touch()

    assert "more than 20 files" in refusal_of_bad_task(tasks)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(os.mkfifo, id="pipe"),
        pytest.param(os.mkdir, id="folder"),
        pytest.param(lambda path: path.symlink_to(path), id="link to itself"),
    ],
)
def test_what_is_no_regular_file_is_not_read(
    tasks: Path, make: Callable[[Path], None]
) -> None:
    path = tasks / "bad/instruction.md"
    path.unlink()
    make(path)

    assert "instruction.md" in refusal_of_bad_task(tasks)


def test_a_thousand_links_one_after_another_are_not_followed(tasks: Path) -> None:
    folder = tasks / "bad"
    (folder / "instruction.md").rename(folder / "0")
    for number in range(1_200):
        (folder / str(number + 1)).symlink_to(str(number))
    (folder / "instruction.md").symlink_to("1200")

    assert "instruction.md" in refusal_of_bad_task(tasks)


def test_a_message_about_a_name_with_line_ends_is_one_line(tmp_path: Path) -> None:
    files = SetFiles.of(tmp_path)
    path = tmp_path / "a\nb\x1b[2J"
    path.symlink_to("/etc/hostname")

    with pytest.raises(SetFileError) as error:
        files.read(path, 100)

    assert str(error.value).isprintable()


def test_a_file_that_becomes_a_link_while_it_is_read_is_not_followed(
    tasks: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is replaced after the check where it leads, and before it is opened."""
    path = tasks / "bad/instruction.md"
    files = SetFiles.of(tasks)
    resolve = SetFiles.resolve

    def replace_after_check(self: SetFiles, path: Path) -> Path:
        place = resolve(self, path)
        replace_by_link(path, private)
        return place

    monkeypatch.setattr(SetFiles, "resolve", replace_after_check)

    with pytest.raises(SetFileError):
        files.read(path, 100)


# What programs such as podman get is a copy, because they would follow links.


def test_a_copy_has_the_files_with_their_permissions_and_the_links_as_links(
    tasks: Path,
) -> None:
    folder = tasks / "good/environment"
    (folder / "bin").mkdir()
    (folder / "bin/run").write_text("run")
    (folder / "bin/run").chmod(0o4755)
    (folder / "empty").mkdir()
    (folder / "python").symlink_to("/usr/bin/python3")  # of the container
    os.mkfifo(folder / "pipe")

    with SetFiles.of(tasks).copied(folder) as copy:
        names = sorted(str(path.relative_to(copy)) for path in copy.rglob("*"))
        assert names == ["Dockerfile", "bin", "bin/run", "empty", "python"]
        assert (copy / "bin/run").read_text() == "run"
        assert (copy / "bin/run").stat().st_mode & 0o7777 == 0o755
        assert (copy / "python").readlink() == Path("/usr/bin/python3")
        assert (copy / "bin/run").stat().st_mtime == (
            folder / "bin/run"
        ).stat().st_mtime
    assert not copy.exists()


@pytest.mark.parametrize(
    "name", ["Dockerfile", ".dockerignore", ".containerignore", "Containerfile"]
)
def test_files_that_a_build_reads_itself_are_no_links_in_a_copy(
    tasks: Path, private: Path, name: str
) -> None:
    folder = tasks / "bad/environment"
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to("../../shared/text")
    files = SetFiles.of(tasks)

    with files.copied(folder) as copy:
        assert not (copy / name).is_symlink()
        assert (copy / name).read_text() == "Do it together.\n"

    replace_by_link(folder / name, private)
    with pytest.raises(SetFileError, match=re.escape(name)), files.copied(folder):
        pass


def test_podman_builds_a_copy_without_links(tasks: Path, tmp_path: Path) -> None:
    """A program in podman's place prints what it gets, and fails."""
    program = tmp_path / "podman"
    program.write_text(
        '#!/bin/sh\n[ "$1" = build ] || exit 1\n'
        'for folder; do :; done; cd "$folder"; find . -type f | sort; pwd; exit 1\n'
    )
    program.chmod(0o755)
    folder = tasks / "good/environment"
    replace_by_link(folder / "Dockerfile", "../../shared/text")
    settings = ContainerSettings.parse({}, {})
    images = ContainerImages(RuntimeProgram(str(program)), settings)
    service = ComposeService(build=ComposeBuild(folder=folder))

    with pytest.raises(ContainerError) as error:
        images.image_of(service, SetFiles.of(tasks), 60.0)

    _title, place, files = str(error.value).splitlines()
    assert files == "./Dockerfile"
    assert place != str(folder)
    assert not Path(place).exists()


def test_the_digest_of_a_folder_tells_contents_modes_and_links(tasks: Path) -> None:
    files = SetFiles.of(tasks)
    folder = tasks / "good"
    digests = {files.digest(folder)}
    (folder / "instruction.md").write_text("Do something else.\n")
    digests.add(files.digest(folder))
    (folder / "instruction.md").chmod(0o600)
    digests.add(files.digest(folder))
    (folder / "link").symlink_to("somewhere")
    digests.add(files.digest(folder))
    (folder / os.fsdecode(b"caf\xe9")).touch()
    digests.add(files.digest(folder))

    assert len(digests) == 5

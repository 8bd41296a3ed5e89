"""The files of a sample of Inspect, which are copied into its container, lie in the task's folder.

A sample names a file by its text, by a path or by an address: `files={"a.txt": "data/a.txt"}`. Samples may
come from a data set of somebody else, so no path leads out of the folder, to the user's keys, say.
Here the task's folder has `data/a.txt`, and beside it there is a file `private.txt` with "canary".
"""

import asyncio
import base64
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.set_files import SetFileError
from tests.benchmarks.inspect.inspect_runs import run_task, write_replies, write_task

pytest.importorskip("inspect_ai")
from controlplane.benchmarks.inspect import samples
from controlplane.benchmarks.inspect.samples import SampleFiles

CANARY = "canary"


@pytest.fixture
def task_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "task"
    (folder / "data/below").mkdir(parents=True)
    (folder / "data/a.txt").write_text("a")
    (folder / "data/below/b.txt").write_text("b")
    (tmp_path / "private.txt").write_text(CANARY)
    (folder / "link.txt").symlink_to("../private.txt")
    (folder / "inner-link.txt").symlink_to("data/a.txt")
    return folder


def contents_of(files: SampleFiles, **texts: str) -> dict[str, bytes]:
    files.check(texts)
    return asyncio.run(files.contents(texts))


DATA_ADDRESS = "data:text/plain;base64," + base64.b64encode(b"hello").decode()


@pytest.mark.parametrize(
    ("text", "content"),
    [
        pytest.param("data/a.txt", b"a", id="path"),
        pytest.param("inner-link.txt", b"a", id="link within the folder"),
        pytest.param("print(1/0)\n", b"print(1/0)\n", id="text"),
        pytest.param("std::cout << 1;", b"std::cout << 1;", id="text with colons"),
        pytest.param("data/absent.txt", b"data/absent.txt", id="path of no file"),
        pytest.param("", b"", id="empty text"),
        pytest.param("x" * 10_000, b"x" * 10_000, id="long text"),
        pytest.param(DATA_ADDRESS, b"hello", id="data in an address"),
    ],
)
def test_a_file_is_a_text_or_comes_from_the_folder_of_the_task(
    task_folder: Path, text: str, content: bytes
) -> None:
    assert contents_of(SampleFiles(task_folder), name=text) == {"name": content}


def test_a_folder_of_the_task_is_copied_with_all_below_it(task_folder: Path) -> None:
    contents = contents_of(SampleFiles(task_folder), work="data")

    assert contents == {"work/a.txt": b"a", "work/below/b.txt": b"b"}


OUTSIDE = [
    pytest.param("/proc/self/environ", id="variables of the process"),
    pytest.param("../private.txt", id="relative"),
    pytest.param("link.txt", id="link"),
    pytest.param("file:///etc/hostname", id="address of a file"),
    pytest.param("..", id="folder"),
]


@pytest.mark.parametrize("text", OUTSIDE)
def test_a_path_out_of_the_folder_is_refused_with_a_remedy(
    task_folder: Path, text: str
) -> None:
    files = SampleFiles(task_folder)

    with pytest.raises(SetFileError, match="--set files=DIR"):
        files.check({"name": text})
    with pytest.raises(SetFileError):
        asyncio.run(files.contents({"name": text}))


def test_a_further_folder_is_one_that_the_user_names(task_folder: Path) -> None:
    files = SampleFiles(task_folder, further_folder=task_folder.parent)

    assert contents_of(files, name="../private.txt") == {"name": CANARY.encode()}
    with pytest.raises(SetFileError):
        files.check({"name": "/etc/hostname"})


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://127.0.0.1:1/a", "--set network=task"),
        ("s3://bucket/a", "s3://"),
        ("simplecache::s3://bucket/a", "s3://"),
    ],
)
def test_an_address_is_not_read_while_the_network_is_off(
    task_folder: Path, address: str, reason: str
) -> None:
    files = SampleFiles(task_folder)

    with pytest.raises(SetFileError, match=reason):
        files.check({"name": address})
    with pytest.raises(SetFileError, match=reason):
        asyncio.run(files.contents({"name": address}))


def test_the_files_of_a_sample_are_read_within_a_bound(
    task_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "MOST_SAMPLE_BYTES", 1_000_000)
    with (task_folder / "large").open("wb") as file:
        file.truncate(6 << 30)
    for name in ("half", "other-half"):
        (task_folder / name).write_bytes(b"x" * 600_000)
    files = SampleFiles(task_folder)

    for texts in ({"a": "large"}, {"a": "half", "b": "other-half"}, {"a": "."}):
        with pytest.raises(SetFileError, match="bytes"):
            asyncio.run(files.contents(texts))


@pytest.mark.second_tier  # Each starts a process that imports Inspect.
@pytest.mark.parametrize("argument", ["files={'a.txt': FILE}", "setup=FILE"])
def test_a_sample_with_a_file_from_elsewhere_is_left_out_with_the_reason(
    task_folder: Path, argument: str
) -> None:
    private = task_folder.parent / "private.txt"
    sample = f"Sample(input='Go.', target='x', id='one', {argument})"
    write_task(
        task_folder,
        f"""
FILE = {str(private)!r}
@task
def greeting():
    return Task(dataset=[{sample}], scorer=includes(), sandbox="docker")
""",
    )
    write_replies(task_folder)

    run = run_task(task_folder, "greeting")

    assert run.code == 2
    assert "greeting.one: " in run.err
    assert "private.txt: it leads out of the tasks" in run.err
    assert CANARY not in run.out + run.err

"""The first command a reader types, with and without what it needs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = ("cat", "dirname", "cmp", "cp", "readlink", "rm", "sh")
UNUSABLE = 3
"""The exit code of `start` if something is missing that it needs."""

# Scripts in place of Python. `start` calls them as `python3 -c …`, `-m venv …` and `-m pip …`.
OLD = "#!/bin/sh\nexit 1\n"
WITHOUT_VENV = '#!/bin/sh\n[ "$2" = venv ] && exit 1\nexit 0\n'
WITHOUT_NETWORK = """#!/bin/sh
[ "$2" = pip ] && { echo "no network" >&2; exit 1; }
[ "$2" = venv ] && { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }
exit 0
"""


def start(
    folder: Path, python: str | None, called_as: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a copy of `start` where the only Python there is is the script given."""
    tools = folder / "tools"
    tools.mkdir()
    for tool in (*TOOLS, "mkdir"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    if python is not None:
        (tools / "python3").write_text(python)
        (tools / "python3").chmod(0o755)
    for name in ("start", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder / name)
    command = ["/bin/sh", str(called_as or folder / "start")]
    return subprocess.run(
        command,
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("python", "message"),
    [
        (None, "Python 3.11 or newer is needed"),
        (OLD, "Python 3.11 or newer is needed"),
        (WITHOUT_VENV, "apt-get install python3-venv"),
        (WITHOUT_NETWORK, "is the network there?"),
    ],
)
def test_a_missing_requirement_is_one_line_and_leaves_nothing_half_made(
    tmp_path: Path, python: str | None, message: str
) -> None:
    done = start(tmp_path, python)

    last_line = done.stderr.splitlines()[-1]
    assert done.returncode == UNUSABLE
    assert last_line.startswith("start: ")
    assert message in last_line
    assert not list(tmp_path.glob(".venv/.installed*"))


def test_a_link_to_it_installs_into_the_checkout(tmp_path: Path) -> None:
    elsewhere = tmp_path / "bin"
    elsewhere.mkdir()
    (elsewhere / "start").symlink_to(tmp_path / "start")

    done = start(tmp_path, WITHOUT_NETWORK, called_as=elsewhere / "start")

    assert "is the network there?" in done.stderr
    assert (tmp_path / ".venv/bin/python").exists()
    assert [path.name for path in elsewhere.iterdir()] == ["start"]


def test_a_folder_that_is_there_is_never_removed(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "mine.txt").write_text("kept")

    done = start(tmp_path, WITHOUT_VENV)

    assert done.returncode == UNUSABLE
    assert "remove the folder" in done.stderr
    assert (tmp_path / ".venv" / "mine.txt").read_text() == "kept"


@pytest.mark.skipif(
    not (ROOT / ".venv/.installed-test").exists(),
    reason="the tests were not started by ./start, which this is about",
)
def test_an_installed_checkout_starts_at_once_and_names_itself_in_what_it_prints(
    tmp_path: Path,
) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    command = [
        str(ROOT / "start"),
        "run",
        "--limit",
        "2",
        "--runs-dir",
        str(tmp_path / "runs"),
    ]
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    assert "installing" not in done.stderr
    assert f"{ROOT}/start replay" in done.stdout

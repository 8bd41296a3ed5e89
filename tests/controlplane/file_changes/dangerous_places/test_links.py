"""Changes of files do not write elsewhere through a link or a pipe.

ln -s ../away docs        somebody makes `docs` a link after the user has asked
change of docs/a.txt      is refused, so that nothing is written to `away`
"""

import subprocess
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.file_changes import ChangeRefused, FileChange, make_changes


def change_both_files(root: Path) -> None:
    """Change `docs/a.txt` and `one.txt`; the old versions are to go to `.old`."""
    changes = {
        "/docs/a.txt": FileChange.of(root, "/docs/a.txt", "ours\n"),
        "/one.txt": FileChange.of(root, "/one.txt", "ours\n"),
    }
    make_changes(changes, old_versions=root / ".old")


@pytest.mark.parametrize(
    "trap",
    [
        pytest.param("ln -s ../../away/a.txt docs/a.txt", id="the file is a link"),
        pytest.param(
            "rmdir docs; ln -s ../away docs", id="the file's folder is a link"
        ),
        pytest.param(
            "rmdir docs; mkdir .git; ln -s .git docs",
            id="the file's folder is a link to a hidden folder",
        ),
        pytest.param("mkfifo docs/a.txt", id="the file is a pipe"),
        pytest.param("mkdir docs/a.txt", id="the file is a folder"),
        pytest.param("ln -s ../away .old", id="the folder of old versions is a link"),
    ],
)
def test_a_change_does_not_follow_a_link_out_of_the_folder(
    trap: str, tmp_path: Path
) -> None:
    """A shell command sets a trap in `root`. Changes of two of its files are refused, and no
    file is written: neither in `away`, where links of the trap lead, nor in `root`."""
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "one.txt").write_text("1\n")
    away = tmp_path / "away"
    away.mkdir()
    (away / "a.txt").write_text("theirs")
    subprocess.run(trap, shell=True, cwd=root, check=True)

    with pytest.raises((ChangeRefused, UsageError)):
        change_both_files(root)

    assert [path.name for path in away.iterdir()] == ["a.txt"]
    assert (away / "a.txt").read_text() == "theirs"
    assert (root / "one.txt").read_text() == "1\n"
    assert not list(root.rglob("*.part"))

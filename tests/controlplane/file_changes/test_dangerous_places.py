"""Changes of files must not write elsewhere: through links, into hidden files, under other rights.

ln -s ../away docs        somebody makes `docs` a link after the user has asked
change of docs/a.txt      is refused, so that nothing is written to `away`
"""

import os
import subprocess
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.file_changes.making_changes import make_changes
from tests.controlplane.file_changes.text_folder import TextFolder


def change_both_files(root: Path) -> None:
    """Change `docs/a.txt` and `one.txt`; the old versions are to go to `.old`."""
    changes = {
        "/docs/a.txt": FileChange.of(root, "/docs/a.txt", "ours\n"),
        "/one.txt": FileChange.of(root, "/one.txt", "ours\n"),
    }
    make_changes(changes, old_versions=root / ".old")


class TestLinks:
    """A link or a pipe stands where a file is to be changed.

    The new text would go elsewhere, such as to a file outside of the folder.
    """

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
            pytest.param(
                "ln -s ../away .old", id="the folder of old versions is a link"
            ),
        ],
    )
    def test_a_change_does_not_follow_a_link_out_of_the_folder(
        self, trap: str, tmp_path: Path
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

    def test_nobody_can_foresee_the_name_of_the_temporary_file(
        self, folder: TextFolder
    ) -> None:
        """A link under the name of the temporary file would send the new text elsewhere."""
        folder.write(a="a")
        for name in (f".controlplane-{os.getpid()}-a.txt", ".part", "a.txt.part"):
            (folder.root / name).symlink_to("elsewhere")

        folder.change(a="b")

        assert folder.path("a").read_text() == "b"
        assert not (folder.root / "elsewhere").exists()


class TestRights:
    """A new text must not be run by another program, or under the rights of its owner.

    `folder` is a folder of text files: `folder.write(a="a")` writes a.txt.
    """

    def test_a_hidden_file_cannot_be_changed(self, tmp_path: Path) -> None:
        """A change of `.git/config` could make git run a program."""
        with pytest.raises(ChangeRefused, match="hidden"):
            FileChange.of(tmp_path, "/.git/config", "x")

    def test_a_changed_file_loses_its_set_user_id_bit(self, folder: TextFolder) -> None:
        """The bit lets whoever runs the file act as its owner; a new text must not get that
        right."""
        folder.write(a="a")
        folder.path("a").chmod(0o4755)

        folder.change(a="b")

        assert folder.texts() == {"a": "b"}
        mode = folder.path("a").stat().st_mode & 0o7777
        assert mode == 0o755

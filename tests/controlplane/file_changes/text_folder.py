"""A folder of text files that a test changes as the product does, all files or none.

For example:

    folder = TextFolder(tmp_path)
    folder.write(one="1\\n", two="2\\n")
    folder.change(one="new\\n", two=None)

    folder.texts() -> {"one": "new\\n"}                  two.txt is deleted
    folder.old_texts() -> {"one": "1\\n", "two": "2\\n"}  the files as they were before
"""

from dataclasses import dataclass
from pathlib import Path

from controlplane.file_changes import FileChange, make_changes


def texts_in(folder: Path) -> dict[str, str]:
    """Return the texts of a folder's files by their names without `.txt`."""
    return {path.stem: path.read_text() for path in folder.glob("*.txt")}


@dataclass(frozen=True)
class TextFolder:
    """A folder with files such as `one.txt`, which is called `one` here."""

    root: Path

    @property
    def old_versions(self) -> Path:
        """The folder that keeps the files as they were before the last change."""
        return self.root / "kept"

    def path(self, name: str) -> Path:
        return self.root / f"{name}.txt"

    def write(self, **texts: str) -> None:
        """Write files as the user does."""
        for name, text in texts.items():
            self.path(name).write_text(text)

    def prepared(self, **new_texts: str | None) -> dict[str, FileChange]:
        """Return changes of the files as they are now, to be made later; None deletes a file."""
        changes: dict[str, FileChange] = {}
        for name, new_text in new_texts.items():
            path = f"/{name}.txt"
            changes[path] = FileChange.of(self.root, path, new_text)
        return changes

    def make(self, changes: dict[str, FileChange]) -> None:
        """Make all changes or, if one cannot be made, none. Raises `ChangeRefused` then."""
        make_changes(changes, self.old_versions)

    def change(self, **new_texts: str | None) -> None:
        """Prepare and make changes."""
        self.make(self.prepared(**new_texts))

    def texts(self) -> dict[str, str]:
        """Return the texts of all files."""
        return texts_in(self.root)

    def old_texts(self) -> dict[str, str]:
        """Return the texts of all files that the last change has changed, as they were before."""
        return texts_in(self.old_versions)


def impossible_change(root: Path, folder: str = "") -> dict[str, FileChange]:
    """Return a change of a file in a folder, such as `new/`, whose name is too long."""
    path = f"{folder}{'b' * 300}"
    change = FileChange(
        place=root / path, root=root, old_bytes=None, mode=0, new_text="x"
    )
    return {f"/{path}": change}

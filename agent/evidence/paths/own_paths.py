"""The paths that a trial wrote, or may have written.

If a script writes `/report.md` and reads it back, the text proves nothing, because it is the
script's own. So each path that a trial wrote is remembered. Environments often ignore
case, so that a call for another spelling may reach the same file:

    own.add("/report.md")
    "/Report.md" in own                   -> False
    own.has_spelling_of("/Report.md")     -> True
"""

from __future__ import annotations

from controlplane.gates.paths import spelling_key


class OwnPaths:
    """The paths of one trial at which a text counts as written by its scripts."""

    def __init__(self) -> None:
        self._paths: set[str] = set()
        self._keys: set[str] = set()
        """The spelling keys of the paths: `/docs/a.md` for `/Docs/A.md`."""

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def has_spelling_of(self, path: str) -> bool:
        """Return True if the trial wrote a path that differs only in its spelling."""
        return spelling_key(path) in self._keys

    def add(self, path: str) -> None:
        """Add a path that the trial wrote, or may write."""
        self._paths.add(path)
        self._keys.add(spelling_key(path))

    def add_moved(self, path: str, target: str) -> None:
        """Add the target of a move, whose name the script chose.

        If `path` was a folder, the trial's own files in it stay its own. So after a move of
        `/drafts` to `/old`, a file that was written as `/drafts/c.md` is own at `/old/c.md`.
        """
        folder_key = spelling_key(path) + "/"
        new_paths = [target]
        for own_path in self._paths:
            if spelling_key(own_path).startswith(folder_key):
                new_paths.append(f"{target}/{_path_in_folder(own_path, path)}")
        for new_path in new_paths:
            self.add(new_path)


def _path_in_folder(path: str, folder: str) -> str:
    """Return a path without its folder, which may be spelled in another way.

    `/Drafts/old/c.md` without `/drafts` is `old/c.md`.
    """
    # The folder `/drafts` has one slash, so its path ends at the second slash of `path`.
    slashes = folder.count("/") + 1
    return path.split("/", slashes)[-1]

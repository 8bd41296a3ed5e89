"""Absolute paths of files, such as `/docs/a.md`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from posixpath import normpath, splitext
from typing import Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError

_CONTENT_TYPES: Final = {
    ".json": "application/json",
    ".md": "text/markdown",
    ".csv": "text/csv",
}


def normal_path(path: str) -> str:
    """Return an absolute path in its normal form: `docs//./a.md` -> `/docs/a.md`.

    Raises `CallError` for a NUL, and for a path that is too long or too deep.
    """
    if "\x00" in path:
        raise CallError(INVALID_ARGUMENT, "a path holds no NUL character")
    if len(path) > bounds.MOST_PATH_CHARS:
        raise CallError(
            INVALID_ARGUMENT,
            f"a path has at most {bounds.MOST_PATH_CHARS} characters, not {len(path)}",
        )
    normal = normpath("/" + path.lstrip("/"))
    levels = normal.count("/") if normal != "/" else 0
    if levels > bounds.MOST_FOLDER_LEVELS:
        raise CallError(
            INVALID_ARGUMENT,
            f"a path leads at most {bounds.MOST_FOLDER_LEVELS} levels deep, not {levels}",
        )
    return normal


def base_name(path: str) -> str:
    """Return the last part of a path: `/docs/a.md` -> `a.md`."""
    return path.rpartition("/")[2]


def path_in(directory: str, name: str) -> str:
    """Return the path of a name in a directory: `/docs` and `a.md` -> `/docs/a.md`."""
    if directory == "/":
        return f"/{name}"
    return f"{directory}/{name}"


def content_type(path: str) -> str:
    """Return the media type of a file by its suffix: `/a.json` -> `application/json`."""
    return _CONTENT_TYPES.get(splitext(path)[1].lower(), "text/plain")


# Globs


def check_glob(glob: str) -> None:
    """Raise `CallError` for a glob that is longer than a name may be."""
    if len(glob) > bounds.MOST_GLOB_CHARS:
        msg = f"a glob has at most {bounds.MOST_GLOB_CHARS} characters, not {len(glob)}"
        raise CallError(INVALID_ARGUMENT, msg)


def paths_matching(paths: list[str], glob: str) -> list[str]:
    """Return the paths that a glob selects; all of them for an empty one.

    A glob such as `*.md` selects by name; one with a slash, such as `docs/*.md`, by path.
    """
    if not glob:
        return paths
    if "/" not in glob:
        return [path for path in paths if fnmatchcase(base_name(path), glob)]
    if not glob.startswith("*"):
        glob = normal_path(glob)  # `docs/*.md` -> `/docs/*.md`
    # `*/a.md` matches at any depth, since `*` also matches slashes.
    return [path for path in paths if fnmatchcase(path, glob)]

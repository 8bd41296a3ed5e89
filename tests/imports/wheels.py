"""A wheel of the product, the file that users install, built as a package index would have it built."""

import subprocess
import sys
import tarfile
from functools import cache
from pathlib import Path

import pytest

from tests.support.command import ROOT


def build_archive(kind: str, source: Path, folder: Path) -> Path:
    """Build an `sdist` or a `wheel` of a source tree into an empty folder, and return its path."""
    pytest.importorskip("hatchling")
    words = [sys.executable, "-m", "hatchling", "build", "--target", kind]
    words += ["--directory", str(folder)]
    subprocess.run(words, cwd=source, check=True, capture_output=True)
    (archive,) = folder.iterdir()
    return archive


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a source archive into an empty folder, and return the source tree."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (tree,) = folder.iterdir()
    return tree


@cache
def built_wheel(folders: pytest.TempPathFactory) -> Path:
    """Return the path of a wheel that is built from the source archive, once for all tests.

    `built_wheel(tmp_path_factory).name` is the name of the product, with its version, and ".whl".
    """
    archive = build_archive("sdist", ROOT, folders.mktemp("archive"))
    tree = unpack(archive, folders.mktemp("tree"))
    return build_archive("wheel", tree, folders.mktemp("wheel"))

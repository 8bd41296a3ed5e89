"""A wheel of the product, the file that users install, built as a package index would have it built."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.support.product_files import ROOT


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


@pytest.fixture(scope="session")
def source_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The product's files in a folder of their own, from the source archive."""
    archive = build_archive("sdist", ROOT, tmp_path_factory.mktemp("archive"))
    return unpack(archive, tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="session")
def wheel(source_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that was built from the source archive, as a package index would have it built."""
    return build_archive("wheel", source_tree, tmp_path_factory.mktemp("wheel"))

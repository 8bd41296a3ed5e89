"""Hashes of the product's source, which change with the packages that they cover.

A run records two of them. A later version of the product can tell from them what has changed:

    after a change in     the hash of all source     the hash of the gates, which judge answers
    agent/                differs                    is the same
    gates/                differs                    differs
"""

import shutil
from pathlib import Path

import pytest

from tests.controlplane.configuration import hashes_after_changes
from tests.support.command import ROOT, run_python

PACKAGES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
"""The folders of the product's packages: agent, gates, sandbox, ..."""


@pytest.fixture
def copy_of_product(tmp_path: Path) -> Path:
    """A copy of the packages and of the prompts, which are texts that a hash covers, too."""
    for folder in (*PACKAGES, "prompts"):
        shutil.copytree(
            ROOT / folder,
            tmp_path / folder,
            symlinks=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    return tmp_path


def test_the_hash_of_the_source_covers_every_package(copy_of_product: Path) -> None:
    """The program changes one package of the copy after the other, and prints the new hashes."""
    program = hashes_after_changes.__file__
    hashes = run_python(
        program, *PACKAGES, cwd=copy_of_product, PYTHONPATH=str(copy_of_product)
    ).json

    assert len(PACKAGES) >= 5, "the packages are elsewhere now"
    without_change = hashes[""]
    for package in PACKAGES:
        assert hashes[package]["source"] != without_change["source"], package
        gates_differ = hashes[package]["gates"] != without_change["gates"]
        assert gates_differ == (package == "gates"), package

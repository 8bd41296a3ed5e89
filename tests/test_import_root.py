"""The wheel, the file that users install, has all modules, below the folder `controlplane`.

The repository has packages called `agent`, `gates` and so on, which many projects have, too. So
`agent/loop/turn.py` is `controlplane/agent/loop/turn.py` in the wheel, and `import agent` in a
user's project finds the user's package.
"""

import subprocess
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.product_files import ROOT


def python_files(names: Iterable[str]) -> set[str]:
    """Return those of some file names that are Python's."""
    return {name for name in names if name.endswith(".py")}


def tracked_modules() -> set[str]:
    """Return the product's Python files in the repository, as they are to be in the wheel.

    `agent/loop/turn.py` is to be `controlplane/agent/loop/turn.py`.
    """
    tracked = subprocess.run(
        ["git", "ls-files", "agent", "benchmarks", "gates", "sandbox", "controlplane"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if tracked.returncode != 0:
        pytest.skip("this is not a clone: git cannot say which files belong to it")
    names: set[str] = set()
    for name in python_files(tracked.stdout.split()):
        if name.startswith("controlplane/"):
            names.add(name)
        else:
            names.add(f"controlplane/{name}")
    return names


def test_a_wheel_has_one_top_level_package(wheel: Path) -> None:
    """All files are below `controlplane/`, but for the folder `....dist-info` about the package."""
    top_level_names: set[str] = set()
    for name in zipfile.ZipFile(wheel).namelist():
        top_level_name = name.partition("/")[0]
        if not top_level_name.endswith(".dist-info"):
            top_level_names.add(top_level_name)

    assert top_level_names == {"controlplane"}


def test_a_wheel_has_every_module(wheel: Path) -> None:
    """A module that git does not track would be missing for users."""
    names_in_wheel = zipfile.ZipFile(wheel).namelist()

    assert python_files(names_in_wheel) == tracked_modules()

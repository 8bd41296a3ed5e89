"""The wheel, the file that users install, has all modules, below the folder `controlplane`.

The repository has packages called `agent`, `gates` and so on, which many projects have, too. So
`agent/loop/turns.py` is `controlplane/agent/loop/turns.py` in the wheel, and `import agent` in a
user's project finds the user's package.
"""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from controlplane.package_version import install_command
from tests.support.product_files import ROOT


def python_files(names: Iterable[str]) -> set[str]:
    """Return those of some file names that are Python's."""
    return {name for name in names if name.endswith(".py")}


def tracked_modules() -> set[str]:
    """Return the product's Python files in the repository, as they are to be in the wheel.

    `agent/loop/turns.py` is to be `controlplane/agent/loop/turns.py`.
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


# No package index has the product, so nothing tells users to install it from there: texts install
# it from a copy of the repository, and messages name the packages of an extra.


def test_no_text_installs_the_product_from_a_package_index() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "*.md", "*.py", "*.yml", "*.toml", "start"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if tracked.returncode != 0:
        pytest.skip("this is not a clone: git cannot say which files belong to it")
    from_index = re.compile(r"pip install [^\n]*\bgrounded-control-plane(?!/)\b")
    faulty = []
    for name in tracked.stdout.split():
        path = ROOT / name
        if path.is_file() and from_index.search(path.read_text("utf-8", "replace")):
            faulty.append(name)

    assert faulty == []


def test_the_command_for_an_extra_names_its_packages() -> None:
    command = install_command("tables")

    assert command.startswith(sys.executable)
    assert "'duckdb>=2.0'" in command
    assert "'openpyxl>=3.1.5'" in command  # of the extra documents, which is part of it
    assert "grounded-control-plane" not in command


def test_what_the_ci_page_installs_runs_in_an_empty_folder(
    source_tree: Path, tmp_path: Path
) -> None:
    """The page's own line is followed. Packages are those of the tests, as there is no network."""
    page = (ROOT / "docs/ci.md").read_text("utf-8")
    (folder,) = re.findall(r"repository: \S+, path: (\S+) \}", page)
    (command,) = re.findall(r"- run: pip (install .+)", page)
    (tmp_path / folder).symlink_to(source_tree)
    options = {
        "PIP_TARGET": str(tmp_path / "site"),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's way to say that there is none
    }

    subprocess.run(
        [sys.executable, "-m", "pip", *command.split()],
        cwd=tmp_path,
        env={**os.environ, **options},
        check=True,
        capture_output=True,
    )
    listed = subprocess.run(
        [sys.executable, "-P", "-m", "controlplane", "benchmarks", "list"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        check=True,
        capture_output=True,
        text=True,
    )

    assert "ecom" in listed.stdout.split()

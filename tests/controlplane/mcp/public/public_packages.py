"""Packages of PyPI and npm, the public indexes, whose programs tests run.

    programs = install_from_pypi(folder, "mcp-server-git", "mcp<2")
    subprocess.run([programs / "mcp-server-git", "--help"])
    run_npx("@modelcontextprotocol/inspector", "mcp-inspector", "--help", cwd=folder)

A test is skipped if a package cannot be downloaded.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import clean_environment

MAX_INSTALL_S = 600
"""How long the download and installation of packages may take, in seconds."""


def install_from_pypi(folder: Path, package: str, *further_packages: str) -> Path:
    """Install packages in a new virtual environment, and return the folder with its programs.

    The second time, the environment is there already: it has the name of the first package.
    """
    environment = folder / package
    programs = environment / "bin"
    if environment.exists():
        return programs
    subprocess.run(
        [sys.executable, "-m", "venv", environment],
        check=True,
        timeout=MAX_INSTALL_S,
    )
    pip_install = [programs / "python", "-m", "pip", "install", "-q"]
    finished = subprocess.run(
        [*pip_install, package, *further_packages],
        capture_output=True,
        text=True,
        timeout=MAX_INSTALL_S,
        check=False,
    )
    if finished.returncode != 0:
        reason = finished.stderr.strip()[-200:]
        pytest.skip(f"{package} cannot be installed here: {reason}")
    return programs


def npx_command(package: str, *words: str | Path) -> list[str]:
    """Return the command that runs a program of a package of npm."""
    return ["npx", "-y", "-p", "node@22", "-p", package, *map(str, words)]


def run_npx(
    package: str, *words: str | Path, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Run a program of a package of npm. Skip the test if the package cannot be downloaded."""
    home = os.environ.get("HOME", "/")
    try:
        finished = subprocess.run(
            npx_command(package, *words),
            cwd=cwd,
            env={**clean_environment(HOME=home), "npm_config_yes": "true"},
            capture_output=True,
            text=True,
            timeout=MAX_INSTALL_S,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("there is no npx here")
    if "npm error" in finished.stderr or "npm ERR" in finished.stderr:
        pytest.skip(f"{package} cannot be downloaded here: {finished.stderr[-200:]}")
    return finished

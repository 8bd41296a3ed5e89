"""The file `constraints.txt` pins each package that the product and its tests need.

A line such as `click==8.2.1` is the version with which the tests run. Every requirement in
`pyproject.toml`, such as `click>=8.2`, has a pin that satisfies it, and `./start test` installs the
pins. A plain `pip install -e '.[test]'` may install newer versions.
"""

import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.start.start_script import is_installed
from tests.support.product_files import ROOT

# What the product and its tests require, and the versions that are pinned.

UNTESTED_EXTRAS = {"agentdojo", "inspect"}
"""Optional parts of the product that the test environment does not install."""


def read_project() -> dict[str, Any]:
    """Return the table `[project]` of pyproject.toml."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project: dict[str, Any] = pyproject["project"]
    return project


def read_requirements() -> list[Requirement]:
    """Return what the product and its tested extras require: `click>=8.2`, and so on."""
    project = read_project()
    texts = list(project["dependencies"])
    for extra, extra_texts in project["optional-dependencies"].items():
        if extra not in UNTESTED_EXTRAS:
            texts += extra_texts

    requirements: list[Requirement] = []
    for text in texts:
        requirement = Requirement(text)
        # An extra may name others of our own: grounded-control-plane[documents].
        if requirement.name != project["name"]:
            requirements.append(requirement)
    return requirements


def read_pins() -> dict[str, str]:
    """Return the pinned versions, by the normal form of the names: `{"click": "8.2.1"}`."""
    pins: dict[str, str] = {}
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            name, _, pin = line.partition("==")
            pins[canonicalize_name(name)] = pin
    return pins


HOW_TO_RENEW = "make constraints.txt anew, as its first lines say"
"""Stands in every failure."""

PINS = read_pins()


@pytest.mark.parametrize("requirement", read_requirements(), ids=str)
def test_every_requirement_is_pinned_to_a_version_that_satisfies_it(
    requirement: Requirement,
) -> None:
    pin = PINS.get(canonicalize_name(requirement.name))

    assert pin, f"{requirement.name} is not pinned: {HOW_TO_RENEW}"
    assert requirement.specifier.contains(pin, prereleases=True), (
        f"{requirement} is not met by {pin}: {HOW_TO_RENEW}"
    )


def start_has_installed_the_pins() -> bool:
    """Return True if the tests run in the environment of `./start`, with the present pins."""
    environment_of_start = (ROOT / ".venv").resolve()
    return Path(sys.prefix).resolve() == environment_of_start and is_installed()


@pytest.mark.skipif(
    not start_has_installed_the_pins(),
    reason="the tests were not started by ./start, or the pins have changed since",
)
def test_what_is_installed_is_what_is_pinned() -> None:
    """Otherwise the tests would not show that the pinned versions work together."""
    differences: dict[str, str] = {}
    for name, pin in PINS.items():
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue  # an environment of the product alone lacks what only tests need
        if installed != pin:
            differences[name] = f"{installed}, not {pin}"

    assert differences == {}, HOW_TO_RENEW


@pytest.mark.parametrize("tool", ["pytest", "ruff", "mypy"])
def test_the_test_tools_are_among_the_pins(tool: str) -> None:
    """Another version of a tool may find other faults."""
    assert tool in PINS

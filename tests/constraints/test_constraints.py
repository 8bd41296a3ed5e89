"""The file `constraints.txt` pins each package that the product and its tests need.

A line such as `click==8.2.1` is the version with which the tests run. Every requirement in
`pyproject.toml`, such as `click>=8.2`, has a pin that satisfies it, and `./start test` installs the
pins. A plain `pip install -e '.[test]'` may install newer versions.
"""

import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.constraints.required_versions import read_pins, read_requirements
from tests.start.start_script import is_installed
from tests.support.command import ROOT

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

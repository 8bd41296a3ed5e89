"""constraints.txt holds the versions that are tested:
every requirement is pinned, and the pin is what is installed."""

import tomllib
from importlib.metadata import PackageNotFoundError, version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.command import ROOT

RENEW = "make constraints.txt anew, as its first lines say"
UNTESTED = {"agentdojo", "inspect"}
"""Extras that the extra `test` leaves out."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENTS = [
    Requirement(text)
    for texts in (
        PROJECT["dependencies"],
        *(EXTRAS[extra] for extra in EXTRAS if extra not in UNTESTED),
    )
    for text in texts
]
PINS = {
    canonicalize_name(name): pin
    for name, _, pin in (
        line.partition("==")
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")
    )
}


@pytest.mark.parametrize(
    "requirement",
    [
        requirement
        for requirement in REQUIREMENTS
        if requirement.name != PROJECT["name"]
    ],
    ids=str,
)
def test_every_requirement_is_pinned_to_a_version_that_satisfies_it(
    requirement: Requirement,
) -> None:
    pin = PINS.get(canonicalize_name(requirement.name))
    assert pin, f"{requirement.name} is not pinned: {RENEW}"
    assert requirement.specifier.contains(pin, prereleases=True), (
        f"{requirement} is not met by {pin}: {RENEW}"
    )


def test_what_is_installed_is_what_is_pinned() -> None:
    differing = {}
    for name, pin in PINS.items():
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue  # an environment of the product alone lacks what only tests need
        if installed != pin:
            differing[name] = f"{installed}, not {pin}"

    assert differing == {}, RENEW


def test_the_test_tools_are_among_the_pins() -> None:
    assert {"pytest", "ruff", "mypy"} <= PINS.keys()

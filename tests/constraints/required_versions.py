"""What the product and its tests require, and the versions that are pinned."""

import tomllib
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.command import ROOT

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

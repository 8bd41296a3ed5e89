"""Versions of the program and of Python that differ from those of a recorded run."""

from __future__ import annotations

import platform

from controlplane.configuration.installed_versions import current_versions
from controlplane.journal.journal_reader import Journal


def other_pythons(journal: Journal) -> str:
    """Return the recorded versions of Python whose error texts may differ from those here.

    These are other minor versions: `3.12.4` differs from `3.13.1`, but not from
    `3.12.9`. Empty if there are none.
    """
    minor_version_here = _minor_version(platform.python_version())
    pythons = set()
    for versions in journal.versions:
        if _minor_version(versions.python) != minor_version_here:
            pythons.add(versions.python)
    return ", ".join(sorted(pythons))


def _minor_version(version: str) -> str:
    """Return a version without its last part: `"3.12.4" -> "3.12"`."""
    return version.rpartition(".")[0]


def hint_on_python(pythons: str) -> str:
    """Return a hint that another Python may have caused a difference; empty under the same one."""
    if not pythons:
        return ""
    return (
        f"; it was recorded under Python {pythons}, and what this one "
        f"({platform.python_version()}) prints can differ: replay it there"
    )


def other_versions(journal: Journal, rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of `gates`, `evidence` and `sandbox` that have another version than recorded.

    These parts of the program determine verdicts and the outputs of scripts. A run that
    was resumed may have several versions of a part: each must be the one in use here.
    `rule_sets` are the rule sets in use now.
    """
    here = current_versions(rule_sets)
    names: list[str] = []
    for name in ("gates", "evidence", "sandbox"):
        recorded = {getattr(versions, name) for versions in journal.versions}
        others = recorded - {getattr(here, name)}
        if others:
            names.append(name)
    return tuple(names)

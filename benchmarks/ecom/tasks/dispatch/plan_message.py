"""The plan for a dispatch wave that an answer gives as JSON.

    {"assignments": [{"package_id": "XFER-001", "route": ["lane-a-hub", "lane-hub-b"],
                      "priority": 1}]}

Whatever is wrong with it is a fault, which is shown with the score. The readable part of a
faulty plan still counts: a package without a usable route just never arrives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.tasks.dispatch.simulation import Assignment, Plan
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Package, Wave
from controlplane.sandbox.interface import Plain
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

MAX_MESSAGE_CHARS: Final = 100_000
"""A longer message is not read. A plan for ten packages has about 1,000 characters."""
MAX_ENTRIES: Final = 1_000
"""The most assignments in a message."""
MAX_ROUTE_LANES: Final = 24
"""The most lanes of a route. Good routes have at most four."""


class ReadPlan(NamedTuple):
    """The readable part of a plan in a message, and its faults."""

    plan: Plan
    """Has only packages with a usable route: one that leads from their start to their end."""
    faults: list[str]
    """What is wrong with the plan, one sentence each."""


def plan_of(message: str, wave: Wave) -> ReadPlan:
    """Return the plan in a message, with its faults: `["package XFER-003 is left out"]`.

    A package has no route if its entry is missing, repeated or malformed, or if its
    route does not connect. If the message is not a plan at all, no package has one.
    """
    entries = _entries_of(message)
    if entries is None:
        fault = (
            'answer is not a JSON object of the form {"assignments":'
            '[{"package_id","route":[...],"priority"}]}'
        )
        return ReadPlan({}, [fault])
    entries_of_package: dict[str, list[Mapping[str, Plain]]] = {}
    for entry in entries:
        if isinstance(entry, dict):
            package_id = str(entry.get("package_id"))
            entries_of_package.setdefault(package_id, []).append(entry)

    unknown_packages = sorted(set(entries_of_package) - set(wave.packages))
    faults = [f"there is no package {package!r}" for package in unknown_packages]
    plan: dict[str, Assignment] = {}
    for package in wave.packages.values():
        package_entries = entries_of_package.get(package.id, [])
        if not package_entries:
            faults.append(f"package {package.id} is left out")
            continue
        assignment = _usable_assignment(wave, package, package_entries)
        if assignment is None:
            faults.append(f"package {package.id} has no usable route")
            continue
        plan[package.id] = assignment
    return ReadPlan(plan, faults)


def _usable_assignment(
    wave: Wave, package: Package, entries: Sequence[Mapping[str, Plain]]
) -> Assignment | None:
    """Return the assignment of a package from its entries in a message; None if it has none.

    It has none if there are several entries, of which none can be preferred, or if the only
    one is malformed or does not lead from the package's start to its end.
    """
    if len(entries) > 1:
        return None
    assignment = _assignment_of(entries[0])
    if assignment is None or not wave.connects(package, assignment.route):
        return None
    return assignment


def _entries_of(message: str) -> list[Plain] | None:
    """Return the list `assignments` of a message; None if it is malformed or too long."""
    if len(message) > MAX_MESSAGE_CHARS:
        return None
    try:
        data = read_json(message)
    except Unreadable:
        return None
    if not isinstance(data, dict):
        return None
    entries = data.get("assignments")
    if not isinstance(entries, list) or len(entries) > MAX_ENTRIES:
        return None
    return entries


def _assignment_of(entry: Mapping[str, Plain]) -> Assignment | None:
    """Return the route and priority in an entry; None if it is malformed.

    `{"package_id": "XFER-001", "route": ["lane-a-b"], "priority": 1}`
    -> `Assignment(1, ("lane-a-b",))`
    """
    route = entry.get("route")
    priority = entry.get("priority")
    if not isinstance(route, list) or not 0 < len(route) <= MAX_ROUTE_LANES:
        return None
    if not isinstance(priority, int) or isinstance(priority, bool):
        return None
    return Assignment(priority, tuple(str(lane_id) for lane_id in route))

"""The grade of a dispatch plan: its mean gain against 1.2 times the mean gain of the solver, over the same draws.

The formula is the public benchmark's; that the reference is our solver's gain is a choice of ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.ecom.tasks.dispatch.transfer_wave import Wave
from benchmarks.ecom.tasks.dispatch.wave_simulation import RUNS, Draws, Plan, Played, play
from benchmarks.ecom.tasks.dispatch.wave_solver import solve
from sandbox.interface import Plain

HEADROOM: Final = 1.2
MOST_CHARS: Final = 100_000
MOST_LANES: Final = 24
MOST_PRIORITY: Final = 10**9


def plan_of(message: str, wave: Wave) -> tuple[Plan, list[str]]:
    """Return the plan that a message holds, without its unusable routes, and its faults.

    A package whose entry is missing, repeated, or of another shape, or whose route does not connect, has no route.
    """
    try:
        data = json.loads(message) if len(message) <= MOST_CHARS else None
    except (ValueError, RecursionError):
        data = None
    entries = data.get("assignments") if isinstance(data, dict) else None
    if not isinstance(entries, list) or len(entries) > MOST_CHARS // 100:
        return {}, ['answer is no JSON object of the form {"assignments":[{"package_id","route":[...],"priority"}]}']
    given: dict[str, list[Mapping[str, Plain]]] = {}
    for entry in entries:
        if isinstance(entry, dict):
            given.setdefault(str(entry.get("package_id")), []).append(entry)
    faults = [f"there is no package {each!r}" for each in sorted(set(given) - set(wave.packages))]
    plan: dict[str, tuple[int, tuple[str, ...]]] = {}
    for package in wave.packages.values():
        found = given.get(package.id, [])
        usable = _assignment(found[0]) if len(found) == 1 else None
        if usable is None or not wave.connects(package, usable[1]):
            faults.append(f"package {package.id} has no usable route" if found else f"package {package.id} is left out")
        else:
            plan[package.id] = usable
    return plan, faults


def _assignment(entry: Mapping[str, Plain]) -> tuple[int, tuple[str, ...]] | None:
    """Return priority and route of an entry, or None if it has another shape."""
    route, priority = entry.get("route"), entry.get("priority")
    if not isinstance(route, list) or not 0 < len(route) <= MOST_LANES or isinstance(priority, bool):
        return None
    if not isinstance(priority, int) or abs(priority) > MOST_PRIORITY:
        return None
    return priority, tuple(str(each) for each in route)


def _euros(runs: Sequence[Played], field: str) -> str:
    total: int = sum(getattr(each, field) for each in runs)
    return f"{total / len(runs) / 100:.2f}"


def _mean_gain(runs: Sequence[Played]) -> int:
    """Return the mean gain, floored to the cent."""
    return sum(each.gain for each in runs) // len(runs)


@dataclass(frozen=True)
class DispatchMeasure:
    """Grades plans for one wave."""

    wave: Wave
    reachable: float = 0.82
    """A plan as good as the solver's scores 1 / 1.2."""

    def measure(self, message: str, refs: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """Return the score of a message, 0 to 1, and what happened to its packages."""
        del refs
        plan, faults = plan_of(message, self.wave)
        draws = Draws(self.wave)
        runs = play(self.wave, plan, draws)
        gain = _mean_gain(runs)
        reference = _mean_gain(play(self.wave, solve(self.wave), draws))
        score = min(max(gain / (HEADROOM * reference), 0.0), 1.0) if reference > 0 else 0.0
        return score, (*faults, *_told(runs, len(self.wave.packages), gain, score))


def _told(runs: Sequence[Played], packages: int, gain: int, score: float) -> list[str]:
    missed = sum(each.missed for each in runs) / RUNS
    late = sum(each.late for each in runs) / RUNS
    return [
        f"dispatch packages delivered avg {packages - missed:.1f} of {packages}",
        f"dispatch margin of what was delivered avg EUR {_euros(runs, 'margin')}",
        f"dispatch packages missed avg {missed:.1f}; late avg {late:.1f}",
        f"dispatch costs avg EUR {_euros(runs, 'transport')} transport; EUR {_euros(runs, 'late_cents')} late; "
        f"EUR {_euros(runs, 'missed_cents')} missed",
        f"dispatch gain avg EUR {gain / 100:.2f}; max EUR {max(each.gain for each in runs) / 100:.2f}; "
        f"efficiency {score:.1%}",
    ]

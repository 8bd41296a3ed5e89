"""Dispatch: a route for every package, the cheapest that still arrives in time."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from benchmarks.ecom.player.conclusions import OK, UNSUPPORTED, Conclusion
from benchmarks.ecom.player.knowledge import Knowledge

WAVE: Final = re.compile(r"/ops/\S*\w")
Row = Mapping[str, str]


def plan_wave(known: Knowledge) -> Conclusion:
    """Send each package by the cheapest route whose usual time leaves some slack, else by the fastest."""
    named = WAVE.search(known.instruction)
    folder = named[0].rpartition("/")[0] if named else ""
    head, packages, lanes = (f"{folder}/{name}" for name in ("dispatch.md", "packages.tsv", "lanes.tsv"))
    texts = known.look_up(*({"read": path} for path in (head, packages, lanes)))
    if not folder or not all(isinstance(each, str) for each in texts):
        return Conclusion("There is no such wave.", UNSUPPORTED, known.cite("agents"))
    roads = _rows(str(texts[2]))
    assignments: list[dict[str, object]] = []
    for package in sorted(_rows(str(texts[1])), key=lambda each: int(each["due_time"])):
        route = _route(package, roads)
        assignments.append(
            {"package_id": package["package_id"], "route": list(route), "priority": len(assignments) + 1}
        )
    citations = {
        head: f"the wave {folder.rpartition('/')[2]}",
        packages: "packages.tsv with due_time and margin_cents of each package",
        lanes: "lanes.tsv with capacity, eta and cost_cents of each lane",
    }
    return Conclusion(json.dumps({"assignments": assignments}), OK, {**citations, **known.cite("dispatch")})


def _rows(table: str) -> list[Row]:
    head, *lines = [each.split("\t") for each in table.splitlines() if each]
    return [dict(zip(head, line, strict=False)) for line in lines]


def _route(package: Row, lanes: Sequence[Row]) -> tuple[str, ...]:
    """Return the cheapest of the routes that arrive in time, or the fastest if none does."""
    start, end, due = package["from_store_id"], package["to_store_id"], int(package["due_time"])
    found: list[tuple[int, int, tuple[str, ...]]] = []
    waiting: list[tuple[int, int, tuple[str, ...], tuple[str, ...]]] = [(0, 0, (start,), ())]
    while waiting and len(found) < 40:
        cost, time, places, route = heapq.heappop(waiting)
        if places[-1] == end:
            found.append((cost, time, route))
        elif len(route) < 4:
            for lane in lanes:
                if lane["from"] == places[-1] and lane["to"] not in places:
                    spent = (cost + int(lane["cost_cents"]), time + int(lane["eta"]))
                    heapq.heappush(waiting, (*spent, (*places, lane["to"]), (*route, lane["lane_id"])))
    timely = [each for each in found if each[1] + 2 <= due]
    best = min(timely) if timely else min(found, key=lambda each: each[1], default=(0, 0, ()))
    return best[2]

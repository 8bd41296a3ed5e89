"""Cases about dispatch waves."""

from typing import Any

from toolkit.dispatch import Lane, Package, plan_wave


def wave_plan(given: dict[str, Any]) -> dict[str, Any]:
    packages = [
        Package(each["id"], each["from"], each["to"], each["due"], each["margin_cents"]) for each in given["packages"]
    ]
    lanes = [
        Lane(each["id"], each["from"], each["to"], each["capacity"], each["eta"], each["cost_cents"])
        for each in given["lanes"]
    ]
    plan = plan_wave(packages, lanes)
    if plan is None:
        return {"plan": None}
    late, lateness, cost_cents, travel = plan.cost
    return {
        "plan": [
            {"package": each.package.id, "route": [lane.id for lane in each.route], "priority": each.priority}
            for each in plan.assignments
        ],
        "arrivals": {each.package.id: each.arrival for each in plan.assignments},
        "late": late,
        "lateness": lateness,
        "cost_cents": cost_cents,
        "travel": travel,
    }


PARTS = {"wave_plan": wave_plan}

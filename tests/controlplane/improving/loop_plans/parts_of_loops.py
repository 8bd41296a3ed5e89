"""The tasks of the three parts of a loop: training, check and final tasks.

For example:

    tasks_of_parts(loop)    ->    [["alder.1", "elm.1"], ["birch.1", "cedar.1"], ["dogwood.1", "fir.1"]]
"""

from tests.controlplane.improving.riddle_loop import RiddleLoop


def tasks_of_parts(loop: RiddleLoop) -> list[list[str]]:
    """Return the tasks of the loop's training, check and final part, in this order."""
    plan = loop.record.plan
    parts: list[list[str]] = []
    for part in (plan.train, plan.check, plan.final):
        parts.append([task for _world, task in part])
    return parts

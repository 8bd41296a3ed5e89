"""Two players that take the place of a model: `solution` and `nothing`.

`solution` runs the task's own solution (`solve.sh`), `nothing` only submits an answer. They
check tasks: one is faulty if its verifier gives `solution` less than 1, or `nothing`
more than 0. As a model does, they reply with scripts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.benchmarks.containers.set_files import SetFileError
from controlplane.benchmarks.harbor.solution_script import FINISH, solution_script
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask


def _reply(code: str) -> Reply:
    """Return a model's reply with this script: a JSON object, as `agent/reply/reply.py` reads it."""
    action = {"state": "playing", "plan": [], "done": True, "code": code}
    return Reply(text=json.dumps(action))


class IdlePlayer(Model):
    """A player that submits at once."""

    name = "nothing"

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return a script that only submits."""
        return _reply(FINISH)


class SolutionPlayer(Model):
    """A player that copies the solution into the container, runs `solve.sh` and submits."""

    name = "solution"

    def __init__(self, tasks: Mapping[str, HarborTask]) -> None:
        self._tasks = tasks
        self.played: set[str] = set()
        """The ids of tasks whose solutions were played. Their low scores are told to the user."""

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return a script that plays the solution of the trial's task.

        Without a solution, the script says so and submits; also if the solution is too
        large, or leads out of the set of tasks.
        """
        task = self._tasks.get(request.task_id)
        try:
            if task is None or not task.files.is_file(
                task.solution_folder / "solve.sh"
            ):
                return _reply("print('this task has no solution/solve.sh')" + FINISH)
            script = solution_script(task)
        except SetFileError as error:
            return _reply(f"print({str(error)!r})" + FINISH)
        self.played.add(task.task_id)
        return _reply(script)

"""Two players that take the place of a model: `solution` and `nothing`.

`solution` runs the task's own solution (`solve.sh`), `nothing` only submits an answer. They
check tasks: one is faulty if its verifier gives `solution` less than 1, or `nothing`
more than 0. As a model does, they reply with scripts.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Final

from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.benchmarks.containers.container_settings import with_host_variables
from controlplane.benchmarks.containers.set_files import SetFileError
from controlplane.benchmarks.harbor.tasks import HarborTask

# Writes the Python script that plays a task's own solution, in place of a model's script.
#
# A task of Harbor comes with a solution: a folder with the program `solve.sh`. Playing it
# shows that the task can be solved and is graded. The script copies the folder into the
# container, file by file as base64 text, runs `solve.sh` and submits an answer:
#
#     harness.shell("mkdir -p '/solution' && base64 -d >'/solution/solve.sh' && chmod 755 ...", ...)
#     result = harness.shell('. /solution/controlplane-variables; /solution/solve.sh', ...)
#
# The variables of the solution are a file there, too: in the command, they would be arguments of
# podman or docker.

_SOLUTION: Final = "/solution"
MAKE_SOLUTION_FOLDER: Final = f"mkdir -p {_SOLUTION} && chmod 777 {_SOLUTION}"
"""Runs as root before the script, whose user may not make a folder there."""
_VARIABLES: Final = f"{_SOLUTION}/controlplane-variables"
"""A file that a shell reads: `export REGION='eu'`."""
_LOG: Final = "/logs/agent/oracle.txt"
"""What the solution prints, in the same place as in Harbor."""
_MAX_SOLUTION_BYTES: Final = 400_000
_LONGEST_COMMAND_S: Final = 86_400
_FINISH: Final = """
scratchpad["answer"] = "done"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
"""
"""The end of each script, which submits an answer, as the last script of a model does.

The answer is in `scratchpad`, a dict that scripts have. The function is a last check of it.
"""


def solution_script(task: HarborTask) -> str:
    """Return the script that plays a task's solution. Raises `SetFileError` if it is too large."""
    timeout_s = round(task.file.agent.timeout_sec or _LONGEST_COMMAND_S)
    # As in Harbor, `solve.sh` is a program, and its first line says in which language.
    command = f". {_VARIABLES}; ({_SOLUTION}/solve.sh) >{_LOG} 2>&1; code=$?; tail -c 2000 {_LOG}; exit $code"
    lines = [
        _copying_line(f"{_SOLUTION}/{name}", content, mode)
        for name, content, mode in task.solution_files(_MAX_SOLUTION_BYTES)
    ]
    lines += [
        _copying_line(_VARIABLES, _variables_file(task), 0o644),
        f"result = harness.shell({command!r}, timeout_s={timeout_s})",
        "print(result.exit_code, result.stdout, result.stderr[-2000:])",
    ]
    return "\n".join(lines) + _FINISH


def _copying_line(path: str, content: bytes, mode: int) -> str:
    """Return the line that writes a file in the container."""
    folder = path.rpartition("/")[0]
    place = _quoted(path)
    command = (
        f"mkdir -p {_quoted(folder)} && base64 -d >{place} && chmod {mode:o} {place}"
    )
    text = base64.b64encode(content).decode()
    return f"harness.shell({command!r}, stdin={text!r}, check=True)"


def _variables_file(task: HarborTask) -> bytes:
    """Return the file by which `solve.sh` has the variables of the task's `[solution]`.

    A variable of this machine in a value, `${API_KEY}`, may be secret, and the run's journal
    records the script. So none is filled in: the value has an empty text there, or the
    default that the task names.
    """
    variables = with_host_variables(task.file.solution.env, allowed={})
    lines = ["export DEBIAN_FRONTEND=noninteractive\n"]
    for name, value in variables.items():
        lines.append(f"export {name}={_quoted(value)}\n")
    return "".join(lines).encode()


def _quoted(text: str) -> str:
    """Return a text in single quotes for a shell: `it's` -> `'it'\\''s'`."""
    return "'" + text.replace("'", "'\\''") + "'"


def _reply(code: str) -> Reply:
    """Return a model's reply with this script: a JSON object, as `agent/reply/reply.py` reads it."""
    action = {"state": "playing", "plan": [], "done": True, "code": code}
    return Reply(text=json.dumps(action))


class IdlePlayer(Model):
    """A player that submits at once."""

    name = "nothing"

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return a script that only submits."""
        return _reply(_FINISH)


class SolutionPlayer(Model):
    """A player that copies the solution into the container, runs `solve.sh` and submits."""

    name = "solution"

    def __init__(
        self, tasks: Mapping[str, HarborTask], prepare: Callable[[str], None]
    ) -> None:
        """`prepare` makes the folder of the solution in the container of the trial with this id."""
        self._tasks = tasks
        self._prepare = prepare
        self.played: set[str] = set()
        """The ids of tasks whose solutions were played. Their low scores are told to the user."""

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return a script that plays the solution of the trial's task.

        Without a solution, the script says so and submits; also if the solution is too
        large, or leads out of the set of tasks.
        """
        task = self._tasks.get(request.task_id)
        try:
            if task is None or not task.files.is_file(task.solution_program):
                return _reply("print('this task has no solution')" + _FINISH)
            script = solution_script(task)
        except SetFileError as error:
            return _reply(f"print({str(error)!r})" + _FINISH)
        self._prepare(request.trial_id)
        self.played.add(task.task_id)
        return _reply(script)

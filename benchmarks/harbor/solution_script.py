"""The script that plays a task's own solution, as a model's script would solve it.

It copies the folder of the solution into the container, file by file as base64 text, runs
`solve.sh` with the task's variables, and submits an answer.
"""

from __future__ import annotations

import base64
from typing import Final

from controlplane.benchmarks.containers.host_variables import with_host_variables
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask

SOLUTION: Final = "/solution"
MAX_SOLUTION_BYTES: Final = 400_000
FINISH: Final = """
scratchpad["answer"] = "done"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
"""
"""The end of each script, which submits an answer. The function that it passes checks the
scratchpad, as in the scripts of a model."""


def solution_script(task: HarborTask) -> str:
    """Return the script that plays a task's solution. Raises `ValueError` if it is too large.

    The script copies the folder of the solution into the container and runs `solve.sh`.
    Variables of this machine in it (`${API_KEY}`) may be secret. They are left out, because
    the run's journal records the script.
    """
    lines = []
    total_bytes = 0
    for path in sorted(task.solution_folder.rglob("*")):
        if not path.is_file():
            continue
        content = path.read_bytes()
        total_bytes += len(content)
        target = f"{SOLUTION}/{path.relative_to(task.solution_folder).as_posix()}"
        folder = target.rpartition("/")[0]
        # A line such as: harness.shell('mkdir -p ... && base64 -d >...', stdin='...', check=True)
        command = f"mkdir -p {_quoted(folder)} && base64 -d >{_quoted(target)}"
        text = base64.b64encode(content).decode()
        lines.append(f"harness.shell({command!r}, stdin={text!r}, check=True)")
    if total_bytes > MAX_SOLUTION_BYTES:
        msg = f"the solution of {task.task_id} is larger than {MAX_SOLUTION_BYTES:,} bytes"
        raise ValueError(msg)

    no_allowed_variables: dict[str, str] = {}
    variables = with_host_variables(task.file.solution.env, no_allowed_variables).values
    words = ["env", "DEBIAN_FRONTEND=noninteractive"]
    for name, value in variables.items():
        words.append(f"{name}={_quoted(value)}")
    words += ["bash", f"{SOLUTION}/solve.sh"]
    solve = " ".join(words)
    timeout_s = round(task.file.agent.timeout_sec)
    lines.append(f"result = harness.shell({solve!r}, timeout_s={timeout_s})")
    lines.append(
        "print(result.exit_code, result.stdout[-2000:], result.stderr[-2000:])"
    )
    lines.append(f"harness.shell('rm -rf {SOLUTION}')")
    return "\n".join(lines) + FINISH  # `FINISH` submits an answer.


def _quoted(text: str) -> str:
    """Return a text in single quotes for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"

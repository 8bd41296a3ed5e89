"""The note for the model that a tool has failed.

A script may not look at the exit code of a tool, and take its complaint for an answer. So the model
is told, with the beginning of what the tool has printed:

    exec("/bin/jq", args=["fee", "/docs/Fees.json"]) -> {"exit_code": 3, "stderr": "compile error"}
        -> "`/bin/jq` ended with exit code 3: `compile error`"
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.log.tools.tool_run import ToolRun
from controlplane.gates.quoting import quote

MOST_COMPLAINT_CHARS: Final = 300
"""How many characters of a failed tool's output a note quotes."""


def failure_notes(run: ToolRun) -> tuple[str, ...]:
    """Return the note on a run that has failed.

    There is none if the environment does not declare in which field of a result the exit code
    is: the code is then only a guess.
    """
    if not run.call.declared.exit_field:
        return ()
    note = f"{quote(run.path)} ended with exit code {run.exit_code}"
    result = run.call.result
    complaint = str(result.get("stderr") or result.get("stdout") or "").strip()
    if not complaint:
        return (f"{note} and said nothing.",)
    return (f"{note}: {quote(complaint, MOST_COMPLAINT_CHARS)}",)

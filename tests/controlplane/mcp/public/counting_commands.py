"""The commands `controlplane mcp call` with which a model counts the overdue loans of a library.

    controlplane mcp call report_completion '{"answer": "[COUNT:2]", "citations": [...]}'

The model first cites a file that does not exist, which is refused, and then the two overdue loans.
"""

import json

COUNT_OVERDUE_LOANS = """
import json
today = "2027-03-11"
overdue = []
for path in harness.find("*.json", root="/loans", limit=0).paths:
    loan = json.loads(harness.read(path).content)
    if loan["due"] < today:
        overdue.append(path)
print(overdue)
"""
"""A script that prints the paths of the overdue loans."""

OVERDUE_REASON = "it was due before today"

ANSWER_WITH_WRONG_CITATION = {
    "answer": "[COUNT:2]",
    "citations": [{"path": "/loans/gone.json", "reason": OVERDUE_REASON}],
}
"""The arguments of `report_completion`, which submits an answer. The cited file does not exist."""

RIGHT_ANSWER = {
    "answer": "[COUNT:2]",
    "citations": [
        {"path": "/loans/loan-01.json", "reason": OVERDUE_REASON},
        {"path": "/loans/loan-03.json", "reason": OVERDUE_REASON},
    ],
}
"""The same answer with citations of the two overdue loans."""


def call_command(tool: str, arguments: dict[str, object]) -> str:
    """Return the shell command that calls a tool; no argument may have an apostrophe."""
    return f"controlplane mcp call {tool} '{json.dumps(arguments)}'"


COMMANDS_OF_MODEL = [
    call_command("execute_script", {"code": COUNT_OVERDUE_LOANS}),
    call_command("report_completion", ANSWER_WITH_WRONG_CITATION),
    call_command("report_completion", RIGHT_ANSWER),
    # The agent, mini-swe-agent, ends when a command prints this line.
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
]

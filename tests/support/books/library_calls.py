"""The calls that a model makes in the library: it looks for books by an author, and completes the trial.

    tool_call("books_by", author="Austen")  # the function that finds the two books
    completion_call()                       # the right answer, which cites both
    completion_call("emma", records=[])     # another message, and nothing cited

The task of these trials asks which books are by Austen.
"""

import json

from controlplane.agent.model import (
    ToolCall,
)

REASON = "it says by Austen"
"""Why the right answer cites its two books."""


def tool_call(name: str, **arguments: object) -> ToolCall:
    """Return the model's call of a tool: `tool_call("books_by", author="Austen")`."""
    return ToolCall(name=name, arguments=json.dumps(arguments), id=f"id_{name}")


def completion_call(
    message: str = "emma and persuasion",
    outcome: str = "OUTCOME_OK",
    **changed_arguments: object,
) -> ToolCall:
    """Return the call that ends a trial, by default with the two books by Austen.

    `completion_call("emma", records=[])` has another message, and cites nothing.
    """
    arguments: dict[str, object] = {
        "notes": "",
        "task_type": "books",
        "documents": [],
        "records": [
            {"path": "/books/emma.txt", "reason": REASON},
            {"path": "/books/persuasion.txt", "reason": REASON},
        ],
        "protected": False,
    }
    arguments |= changed_arguments
    return tool_call("report_completion", message=message, outcome=outcome, **arguments)


FIND_BOOKS_BY_AUSTEN = tool_call("books_by", author="Austen")
"""The call of the function that finds the two books."""

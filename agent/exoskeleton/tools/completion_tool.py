"""The tool with which the model hands in its answer, and so ends the trial.

Its call is the *completion*: the answer, and the files that support it:

    report_completion(notes="...", task_type="other", outcome="OUTCOME_OK",
                      message="12 loans", documents=[], records=[...])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.model import Tool, object_schema
from controlplane.gates.submission import OUTCOMES

COMPLETION: Final = "report_completion"
"""The name of the tool that ends the trial."""


def completion_tool(task_types: Sequence[str]) -> Tool:
    """Return the tool that ends the trial. `Completion` parses its arguments."""
    return Tool(
        name=COMPLETION,
        description="End the trial with an answer.",
        parameters=object_schema(
            {
                "notes": _text("What was established, one line each."),
                "task_type": {"type": "string", "enum": [*task_types]},
                "outcome": {"type": "string", "enum": [*OUTCOMES]},
                "message": _text("The answer, in exactly the form that was asked for."),
                "documents": references_schema(
                    "Documents whose rules the answer follows."
                ),
                "records": references_schema(
                    "Records and other files that support the answer."
                ),
                "protected": {
                    "type": "boolean",
                    "description": "Records must not be shown to whoever asks: documents alone are cited.",
                },
            }
        ),
    )


def references_schema(description: str) -> dict[str, object]:
    """Return the schema of an array of citations: path, reason, and optionally a quotation."""
    fields = {
        "path": _text("An absolute path that was opened."),
        "reason": _text("Why it is cited: name an id, a number or a phrase from it."),
        "quote": _text("Exact words from it, in its language."),
    }
    citation = object_schema(fields, ["path", "reason"])
    return {"type": "array", "description": description, "items": citation}


def _text(description: str) -> dict[str, object]:
    """Return the JSON schema of a parameter that is a text."""
    return {"type": "string", "description": description}

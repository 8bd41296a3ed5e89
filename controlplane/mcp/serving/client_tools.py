"""The tools that a trial offers to a client: scripts, the submission, and operations."""

from __future__ import annotations

from typing import Final

from controlplane.agent.exoskeleton import operation_tool, references_schema
from controlplane.agent.loop import served_text
from controlplane.agent.model import ModelTool, object_schema
from controlplane.sandbox.interface import Effect, Operation, ToolSchema
from controlplane.sandbox.interface.outcomes import PLATFORM_OUTCOMES, Outcomes

EXECUTE: Final = "execute_script"
SUBMIT: Final = "submit_answer"
REPORT_COMPLETION: Final = "report_completion"
"""The name of the tool that submits the answer of a single trial."""
BEGIN: Final = "begin"
QUESTION_ID: Final = "question_id"
"""The argument and the result field that say which of its open questions a client means."""


def changes_something(operation: Operation) -> bool:
    """Return True if an operation may change something."""
    return operation.effect in (
        Effect.WRITES,
        Effect.DELETES,
        Effect.MOVES,
        Effect.EXECUTES,
        Effect.ACTS,
        Effect.UNDECLARED,
    )


def question_tools(tool_schema: ToolSchema) -> list[ModelTool]:
    """Return the tools of a server for questions: `begin`, and the tools of a trial.

    A call of a trial's tool may name the question that it belongs to.
    """
    begin = ModelTool(
        name=BEGIN,
        description="Opens a question, and returns its id and what the files hold about it. "
        "Each is recorded apart.",
        parameters=object_schema(
            {
                "question": {
                    "type": "string",
                    "description": "what is to be answered from the files",
                }
            }
        ),
    )
    submission_tool = _submission_tool(SUBMIT, tool_schema.outcomes)
    tools = [_execute_tool(tool_schema), submission_tool]
    for tool in tools:
        tool.parameters["properties"][QUESTION_ID] = {
            "type": "string",
            "description": "the id that `begin` returned; needed if several questions are open",
        }
    return [begin, *tools]


def trial_tools(tool_schema: ToolSchema) -> list[ModelTool]:
    """Return the tools of a single trial: `execute_script`, `report_completion`, and operations."""
    submission_tool = _submission_tool(REPORT_COMPLETION, tool_schema.outcomes)
    tools = [_execute_tool(tool_schema), submission_tool]
    for operation in tool_schema.operations:
        # Tools of MCP servers, such as `files.read_file`, are left out, since a client can
        # call them itself. The benchmark's functions are only for scripts.
        is_of_mcp_server = "." in operation.name
        if not is_of_mcp_server and not operation.is_function:
            tools.append(operation_tool(operation))
    return tools


def _execute_tool(tool_schema: ToolSchema) -> ModelTool:
    """Return the tool with which a client runs a script."""
    parameters = object_schema({"code": {"type": "string"}})
    return ModelTool(
        name=EXECUTE, description=served_text(tool_schema), parameters=parameters
    )


# What the client's model is told about the argument `citations`
_CITED: Final = (
    "every file that the answer rests on, with the reason (at least 8 characters) and its exact "
    "words"
)


def _submission_tool(name: str, outcomes: Outcomes) -> ModelTool:
    """Return the tool with which a client submits its answer.

    `name` is `submit_answer` if the client answers questions, and `report_completion` in a trial.
    """
    outcome: dict[str, object] = {
        "type": "string",
        "enum": list(outcomes.names),
        "default": outcomes.done,
    }
    if outcomes != PLATFORM_OUTCOMES:  # Clients know what those of the platform mean.
        outcome["description"] = "; ".join(
            f"{declared.name}: {declared.sentence}"
            for declared in outcomes
            if declared.sentence
        )
    parameters: dict[str, dict[str, object]] = {
        "answer": {"type": "string"},
        "outcome": outcome,
        "citations": references_schema(_CITED),
        "tokens": {
            "type": "integer",
            "description": "optional: tokens that the answer took in all",
        },
        "cost_usd": {"type": "number", "description": "optional: what they cost"},
    }
    return ModelTool(
        name=name,
        description="Submits the answer, which is checked: objections come back, to be fixed.",
        parameters=object_schema(parameters, ["answer"]),
    )

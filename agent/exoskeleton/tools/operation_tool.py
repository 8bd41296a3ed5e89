"""An operation of the environment as a tool that the model may call.

The operation `read(path, start_line=0)`, with the summary "Read a text file" and the field
`content` in its result:

    Tool(
        name="read",
        description="Read a text file. Returns content.",
        parameters={"type": "object", "properties": {"path": ..., "start_line": ...},
                    "required": ["path"], ...},
    )
"""

from __future__ import annotations

from controlplane.agent.model import Tool, object_schema
from controlplane.sandbox.interface import Operation


def operation_tool(operation: Operation) -> Tool:
    """Return an operation as a tool: its summary, and its parameters as a JSON schema."""
    properties = {}
    required = []
    for parameter in operation.parameters:
        schema = dict(parameter.json_schema)
        if parameter.is_required:
            required.append(parameter.name)
        else:
            schema["default"] = parameter.default
        properties[parameter.name] = schema

    description = f"{operation.summary}."
    returned = ", ".join(field.name for field in operation.fields)
    if returned:
        description += f" Returns {returned}."
    return Tool(
        name=operation.name,
        description=description,
        parameters=object_schema(properties, required),
    )

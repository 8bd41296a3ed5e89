"""The operations that a server has besides its tools: `help`, and those of its resources."""

from __future__ import annotations

from controlplane.mcp.servers.tool_offers import CALL_PATH, DATA, TEXT
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.sandbox.interface import Effect, Operation, Parameter


def own_operations(server: ToolServer) -> list[Operation]:
    """Return the declarations of the operations that are not tools.

    They are `help` and, if the server has resources, `resources` and `resource`. Only the text
    of a resource can be cited: `help` and `resources` tell about the server, not about the task.
    """
    # `subject` would name the parameter with a path of the trial's files. None has one.
    help_operation = Operation(
        server.operation_name("help"),
        parameters=(Parameter("words", "str"),),
        fields=(TEXT,),
        summary="a tool's description and parameters, or the tools that words describe",
        effect=Effect.NONE,
        subject="",
    )
    if not server.has_resources:
        return [help_operation]
    list_resources = Operation(
        server.operation_name("resources"),
        parameters=(),
        fields=(DATA,),
        summary="a list of the resources: .uri .name .description",
        effect=Effect.NONE,
        subject="",
        parsed_field=DATA.name,
    )
    read_resource = Operation(
        server.operation_name("resource"),
        parameters=(Parameter("uri", "str"),),
        fields=(CALL_PATH, TEXT, DATA),
        summary="a resource's text",
        effect=Effect.RETURNS,
        subject="",
    )
    return [help_operation, list_resources, read_resource]

"""The resources of an MCP server, such as pages of a wiki, as scripts get them."""

from __future__ import annotations

import json

from controlplane.mcp.servers.content_text import text_of
from controlplane.mcp.servers.server_texts import line_of
from controlplane.mcp.servers.tool_server import ToolServer
from controlplane.sandbox.interface import Plain
from controlplane.tools.script_names import plain_name
from controlplane.tools.tool_result import citable_result


def resource_list(server: ToolServer) -> str:
    """Return the resources of a server as JSON."""
    resources = []
    for resource in server.resources():
        shown = {
            "uri": str(resource.uri),
            "name": line_of(resource.name),
            "description": line_of(resource.description or ""),
        }
        resources.append(shown)
    return json.dumps(resources, ensure_ascii=False)


def resource(server: ToolServer, uri: str) -> dict[str, Plain]:
    """Return the text of a resource, with the path to cite it by.

    For `wiki://pages/start.md`, the path is `/mcp/wiki/resources/pages_start_md`.
    """
    contents = server.read(uri).contents
    text = "\n".join(text_of(content) for content in contents)
    name = plain_name(uri.partition("://")[2] or uri)
    path = f"/mcp/{server.name}/resources/{name}"
    return citable_result(server.operation_name("resource"), path, text=text, data="")

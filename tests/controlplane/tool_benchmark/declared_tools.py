"""A tool as scripts know it: with a name, a signature, and conversions from and to JSON.

tool = declared(Tool(pay, "acts"))          def pay(account: str, due: date | None = None)
call_arguments(tool, account="DE89", due="2026-03-01")
    -> {"account": "DE89", "due": date(2026, 3, 1)}
"""

from typing import Any

from controlplane import Tool
from controlplane.sandbox.interface import bound_arguments
from controlplane.tools.declared_tool import DeclaredTool


def declared(tool: Tool) -> DeclaredTool:
    """Return a tool as scripts know it, among no other tools.

    Raises ValueError if scripts could not call the function.
    """
    names_of_other_tools: set[str] = set()
    return tool.declared(names_of_other_tools)


def call_arguments(tool: DeclaredTool, **passed: Any) -> dict[str, Any]:
    """Return what the function of a tool gets if a script passes these arguments, JSON values.

    Raises TypeError if they do not fit the signature, and CallError if one cannot be converted.
    """
    positional_arguments = ()
    return tool.arguments(bound_arguments(tool.operation, positional_arguments, passed))

"""Runs a tool of a shop, as a script does by the operation `exec`.

run_tool(shop, "cat", "/a.md")  # ToolResult(out="a page", err="", code=0)
"""

from typing import NamedTuple

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment


class ToolResult(NamedTuple):
    """What a tool printed, and its exit code."""

    out: str
    err: str
    code: int


def run_tool(
    shop: EcomEnvironment, name: str, *arguments: str, stdin: str = ""
) -> ToolResult:
    """Run a tool, which reads `stdin` as its standard input."""
    result = shop.call(
        "exec", {"path": f"/bin/{name}", "args": list(arguments), "stdin": stdin}
    )
    return ToolResult(
        out=str(result["stdout"]),
        err=str(result["stderr"]),
        code=int(str(result["exit_code"])),
    )

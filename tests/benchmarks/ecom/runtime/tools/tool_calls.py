"""Calls of the tools in a shop's `/bin`, and what they change."""

from __future__ import annotations

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.world.generator import World


def run(shop: World, name: str, *arguments: str, stdin: str = "") -> tuple[str, str, int]:
    result = EcomEnvironment(shop.workspace()).call(
        "exec", {"path": f"/bin/{name}", "args": list(arguments), "stdin": stdin}
    )
    return str(result["stdout"]), str(result["stderr"]), int(str(result["exit_code"]))

"""A model is told of the same calls, whether it plays the shop here or on the platform (BitGN)."""

from controlplane.benchmarks.bitgn.client.remote_benchmark import (
    TOOL_SCHEMA as REMOTE_SCHEMA,
)
from controlplane.benchmarks.ecom.shop_environment import TOOL_SCHEMA as SHOP_SCHEMA


def test_client_declares_the_tools_of_the_embedded_world() -> None:
    remote_kinds = {tool.path: tool.kind for tool in REMOTE_SCHEMA.executables}
    shop_kinds = {tool.path: tool.kind for tool in SHOP_SCHEMA.executables}

    assert remote_kinds == shop_kinds
    assert REMOTE_SCHEMA.rules_document == SHOP_SCHEMA.rules_document
    assert REMOTE_SCHEMA.operations == SHOP_SCHEMA.operations

"""A shop that notes when calls begin and end.

shop = TimedShop(schema)
finish = shop.begin("read", {"path": "/docs/a.md"})
finish()
shop.timeline  # ["begin read /docs/a.md", "end read /docs/a.md"]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    InitialCall,
    Plain,
    ToolSchema,
)
from tests.agent.loop.initial_prompt.prompt_shop import Shop

FILES = {
    "/rules.md": "This document is about rules.",
    "/keys.md": "This document is about keys.",
    "/docs/fees.md": "This document is about fees.",
    "/docs/hours.md": "This document is about hours.",
}

ONE_BY_ONE = ToolSchema(
    operations=FILE_OPERATIONS,
    initial_calls=(
        InitialCall("read", {"path": "/rules.md"}),
        InitialCall("read", {"path": "/keys.md"}),
        # The program may change something.
        InitialCall("exec", {"path": "/bin/odd"}),
        # A read of each file that `find` lists
        InitialCall(
            "read",
            each_of=EachOf(
                "find", {"name": "*.md", "root": "/docs", "limit": 12}, "paths"
            ),
        ),
    ),
)
"""What the shop declares: the calls of a trial before its model is asked."""

SIDE_BY_SIDE = replace(ONE_BY_ONE, reads_side_by_side=True)
"""The same, for an environment that allows several reads at a time."""


class TimedShop(Shop):
    """Makes calls in both ways that an environment may offer, and notes their beginnings and ends.

    `call` returns when the call has ended, and `begin` at once: then the call ends when the
    product calls the returned function.
    """

    def __init__(self, tool_schema: ToolSchema) -> None:
        super().__init__(tool_schema, files=FILES)
        self.timeline: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.timeline.append(_event("call", operation, arguments))
        return super().call(operation, arguments)

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        self.timeline.append(_event("begin", operation, arguments))

        def finish() -> dict[str, Plain]:
            self.timeline.append(_event("end", operation, arguments))
            return self.result_of(operation, arguments)

        return finish

    def result_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        return super().call(operation, arguments)


def _event(verb: str, operation: str, arguments: Mapping[str, Plain]) -> str:
    """Return a line of the timeline: `begin read /docs/a.md`."""
    subject = arguments.get("path") or arguments.get("root")
    return f"{verb} {operation} {subject}"

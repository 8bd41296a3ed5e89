"""An environment, a shop, that notes when calls begin and end.

    shop = TimedShop(SIDE_BY_SIDE)
    finish = shop.begin("read", {"path": "/rules.md"})
    finish()

Then `shop.timeline` is `["begin read /rules.md", "end read /rules.md"]`.
"""

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

PATHS = ("/rules.md", "/keys.md", "/docs/fees.md", "/docs/hours.md")
FILES = {path: f"This document is {path}." for path in PATHS}

IN_DOCS = {"name": "*.md", "root": "/docs", "limit": 12}
ONE_BY_ONE = ToolSchema(
    operations=FILE_OPERATIONS,
    initial_calls=(
        InitialCall("read", {"path": "/rules.md"}),
        InitialCall("read", {"path": "/keys.md"}),
        # The program may change something.
        InitialCall("exec", {"path": "/bin/odd"}),
        # A read of each file that `find` lists
        InitialCall("read", each_of=EachOf("find", IN_DOCS, "paths")),
    ),
)
"""What the shop declares: the calls of a trial before its model is asked."""

SIDE_BY_SIDE = replace(ONE_BY_ONE, reads_side_by_side=True)
"""The same, for an environment that allows several reads at a time."""


class TimedShop(Shop):
    """Makes a call by `call`, or begins it by `begin`, and ends it when the returned function is
    called."""

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

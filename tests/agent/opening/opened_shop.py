"""A small shop of files, and turn one of a trial in it."""

import json
from collections.abc import Mapping

from agent.evidence import Recorder
from agent.loop import InitialPromptLimits
from agent.loop.initial_prompt import build_initial_prompt
from sandbox import FileTree
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Executable,
    ExecutableKind,
    NamedFiles,
    OpeningCall,
    Plain,
    Surface,
)


def record(**fields: Plain) -> str:
    return json.dumps(fields, indent=2) + "\n"


FILES = {
    "/RULES.md": "Carts: /docs/carts.md\nWhat no document tells is not done here, and what one forbids is refused.\n",
    "/docs/carts.md": "# Carts\nA cart is checked out once.",
    "/docs/lore.md": "# Lore\nThe harbour, long ago.",
    "/data/carts/cart-1.json": record(id="cart-1", owner="cust-1", item="ITEM-A-1"),
    "/data/carts/cart-2.json": record(id="cart-2", owner="cust-2", item="ITEM-B-2"),
    "/data/items/ITEM-A-1.json": record(sku="ITEM-A-1", price=3),
    "/data/items/ITEM-B-2.json": record(sku="ITEM-B-2", price=4),
    "/data/paid/pay-9.json": record(id="pay-9", cart="cart-1"),
    "/data/paid/pay-8.json": record(id="pay-8", cart="cart-2"),
    "/data/staff/emp-5.json": record(id="emp-5", note="n" * 500),
}
SURFACE = Surface(
    operations=FILE_OPERATIONS,
    executables=(Executable("/bin/id", ExecutableKind.READS),),
    rules_document="/RULES.md",
    opening=(
        OpeningCall("tree", {"root": "/", "level": 0}, longest_listing=1),
        OpeningCall("exec", {"path": "/bin/id"}),
        OpeningCall("read", {"path": "/RULES.md"}, most_chars=5),
        OpeningCall(
            "read",
            {},
            EachOf("find", {"name": "*.md", "root": "/docs", "kind": "files", "limit": 0}, "paths"),
            fitting_chars=40,
        ),
    ),
    named_files=NamedFiles(("/data",), "/data", search="search", sample_chars=60),
)


class Shop:
    def __init__(
        self, surface: Surface = SURFACE, broken: tuple[str, ...] = (), files: Mapping[str, str] = FILES
    ) -> None:
        self.surface = surface
        self._tree = FileTree(files)
        self._broken = broken

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation in self._broken:
            raise CallError("unavailable", "no such luck")
        if operation == "exec":
            return {"stdout": "user: cust-2\n", "stderr": "", "exit_code": 0}
        return getattr(self._tree, operation)(**arguments)

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise AssertionError

    def now(self) -> None:
        return None


def opened(instruction: str, shop: Shop, limits: InitialPromptLimits | None = None) -> tuple[Recorder, str]:
    recorder = Recorder("t", shop, lambda event: None)
    recorder.begin_step(0)
    return recorder, "".join(build_initial_prompt(instruction, recorder, limits or InitialPromptLimits()).turn_one)

"""A trial whose initial calls have been made, so that its model gets the first message.

Before a model is asked, the product makes the *initial calls* that an environment declares, and
shows their results in the first message: the tree of files, the rules, and what fits the request.
The environment here is the invented `Shop`.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import LoopSettings, TrialContext, TrialLimits
from controlplane.agent.loop.scripts import build_initial_prompt
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Executable,
    ExecutableKind,
    InitialCall,
    NamedFiles,
    Plain,
    ToolSchema,
)

# The files of a small invented shop: carts, items and payments as records, and documents on them.
#
# The record of cart-1, `/data/carts/cart-1.json`, has the item ITEM-A-1, and the payment pay-9 is for it.


def record_text(**fields: Plain) -> str:
    """Return the text of a record: `record_text(id="cart-1")` -> `{"id": "cart-1"}` in lines."""
    return json.dumps(fields, indent=2) + "\n"


SHOP_FILES = {
    "/RULES.md": (
        "Carts: /docs/carts.md\n"
        "What no document tells is not done here, and what one forbids is refused.\n"
    ),
    "/docs/carts.md": "# Carts\nA cart is checked out once.",
    "/docs/lore.md": "# Lore\nThe harbour, long ago.",
    "/data/carts/cart-1.json": record_text(
        id="cart-1", owner="cust-1", item="ITEM-A-1"
    ),
    "/data/carts/cart-2.json": record_text(
        id="cart-2", owner="cust-2", item="ITEM-B-2"
    ),
    "/data/items/ITEM-A-1.json": record_text(sku="ITEM-A-1", price=3),
    "/data/items/ITEM-B-2.json": record_text(sku="ITEM-B-2", price=4),
    "/data/paid/pay-9.json": record_text(id="pay-9", cart="cart-1"),
    "/data/paid/pay-8.json": record_text(id="pay-8", cart="cart-2"),
    "/data/staff/emp-5.json": record_text(id="emp-5", note="n" * 500),
}


# A small invented shop of carts and documents, as the first messages of trials show it.
#
# Before a model is asked, calls list the tree, read the rules and documents, and find named records.

READ_FITTING_DOCUMENTS = InitialCall(
    "read",
    # returns {"paths": ["/docs/carts.md", "/docs/lore.md"]}; limit 0: all files
    each_of=EachOf(
        operation="find",
        arguments={"name": "*.md", "root": "/docs", "kind": "files", "limit": 0},
        field="paths",
    ),
    is_ranked=True,
)
"""Reads the documents that fit the request: for "Check out cart-1.", only `/docs/carts.md`."""

SHOP_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    executables=(Executable("/bin/id", ExecutableKind.READS),),
    rules_document="/RULES.md",
    initial_calls=(
        # `level` 0: all levels. A folder with more than one file shows only their number.
        InitialCall("tree", {"root": "/", "level": 0}, longest_listing=1),
        InitialCall("exec", {"path": "/bin/id"}),
        InitialCall("read", {"path": "/RULES.md"}, most_chars=5),  # only `Carts`
        READ_FITTING_DOCUMENTS,
    ),
    # Records that the request names are shown, and records linked to them (found by `search`).
    named_files=NamedFiles(roots=("/data",), records="/data", search="search"),
)


class Shop:
    """The environment: files, and `/bin/id`, which tells who asks. `broken_operations` fail."""

    def __init__(
        self,
        tool_schema: ToolSchema = SHOP_SCHEMA,
        broken_operations: tuple[str, ...] = (),
        files: Mapping[str, str] = SHOP_FILES,
    ) -> None:
        self.tool_schema = tool_schema
        self._tree = FileTree(files)
        self._broken_operations = broken_operations

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation in self._broken_operations:
            raise CallError("unavailable", "no such luck")
        if operation == "exec":  # of /bin/id
            return {"stdout": "user: cust-2\n", "stderr": "", "exit_code": 0}
        return getattr(self._tree, operation)(**arguments)

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise AssertionError("before the model is asked, nobody answers")

    def now(self) -> datetime | None:
        return None


class OpenedTrial:
    """A trial whose initial calls have been made, so that its model gets the first message.

    `OpenedTrial("Check out cart-1.").message` has the record of cart-1 in a section:

        <section title="read /data/carts/cart-1.json">
        {"id":"cart-1","owner":"cust-1","item":"ITEM-A-1"}
        </section>
    """

    def __init__(
        self,
        request: str,
        shop: Shop | None = None,
        *,
        settings: LoopSettings | None = None,
        context_tokens: int | None = None,
        now: datetime | None = None,
    ) -> None:
        """`now` is the trial's time, `context_tokens` the limit of its conversation."""
        self.events: list[TrialEvent] = []
        self.recorder = new_recorder(
            "t", shop or Shop(), self.events.append, tape=Tape()
        )
        self.recorder.step_log.begin(0)  # Step 0 is before the model's first reply.
        trial = TrialContext(
            "t",
            "shop",
            instruction=request,
            now=now,
            limits=TrialLimits(context_tokens=context_tokens),
        )
        opened = build_initial_prompt(trial, self.recorder, settings)
        self.calls = self.recorder.current_step.calls
        self.message = "".join(opened.first_message)
        self.instruction = opened.first_message[-1]
        """The last part of the message."""
        self.files = opened.files
        """The files that fit the request, each with the reason."""
        self.system_prompt = opened.system
        self.shortened_for = opened.shortened_for
        """The tokens of the model's context, if the message was shortened to them; else 0."""

    def section(self, title: str) -> list[str]:
        """Return the lines of a section of the message; none if it has no such section."""
        _, _, text = self.message.partition(f'<section title="{title}">\n')
        return text.partition("\n</section>")[0].splitlines()

    def check_citation(self, path: str, reason: str) -> str:
        """Return the path of a file that a script may cite. Raises `ValueError` if it may not."""
        return self.recorder.evidence_log.citations.check(path, reason).spelling

"""Runs an ordinary step a few times before children are forked, so that later steps are faster."""

from __future__ import annotations

import gc
from collections.abc import Callable
from socket import socketpair
from typing import Final

from controlplane.sandbox.child.step.step_context import StepContext
from controlplane.sandbox.child.step.step_run import StepRun
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.isolation_layers import Layer
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages.child_messages import ChildMessage
from controlplane.sandbox.interface.messages.child_results import StepReport
from controlplane.sandbox.interface.messages.frames import FrameReader, send_frame
from controlplane.sandbox.interface.messages.message_fields import MessageFields
from controlplane.sandbox.interface.messages.parent_messages import (
    Answered,
    ParentMessage,
    RunStep,
    RunVerify,
    Setting,
)
from controlplane.sandbox.interface.plain_data import Plain

_WARM_SCRIPT: Final = """
record = harness.read("/a.json").json()
print(len(record), f"{sorted(record)}")
scratchpad["answer"] = str(record["id"])
scratchpad.cite("/a.json", "holds the id that was asked for")
harness.answer(scratchpad, lambda sp: sp["answer"] == "a")
"""

_WARM_FILE: Final[dict[str, Plain]] = {
    "path": "/a.json",
    "content": '{"id": "a", "count": 1}',
    "truncated": False,
    "sha256": "",
}
_WARM_REPLIES: Final[tuple[ParentMessage, ...]] = (
    # harness.read: the file
    Answered(_WARM_FILE),
    # scratchpad.cite: the spelling of the path
    Answered("/a.json"),
    # harness.answer: the parent first demands that the script's `verify` be run, and then accepts
    RunVerify(is_blank=False),
    Answered(None),
)
"""What a parent sends while `_WARM_SCRIPT` runs, in this order."""

_WARM_ROUNDS: Final = 12
"""How often the ordinary step is run. The interpreter specialises
code that has run a few times; this is more than enough."""


def warm_up(context_of: Callable[[FrameReader, Setting], StepContext]) -> None:
    """Run an ordinary step a few times in the process from which children are forked.

    Then the interpreter has specialised the code for its usual types. Otherwise each
    child would do so again, in memory of its own.

    This process plays both sides: it sends the parent's messages, and receives them as
    a child does, so that the code for receiving is specialised, too. `context_of` returns
    what the steps of a child share.
    """
    gc.freeze()  # Imported objects live for ever, so no search for garbage has to visit them.
    isolation = frozenset({Layer.LANGUAGE, Layer.PROCESS})
    setting = Setting(FILE_OPERATIONS, Limits(), now_us=0, seed=0, isolation=isolation)
    parent, connection = socketpair()
    with parent, connection:
        reader = FrameReader(connection)
        parent_reader = FrameReader(parent)
        for number in range(_WARM_ROUNDS):
            # As the parent: send everything in advance. The replies wait in the socket
            # until the script's requests need them.
            send_frame(parent, setting.encode(), bounds.MOST_FROM_PARENT)
            for reply in _WARM_REPLIES:
                send_frame(parent, reply.encode(), bounds.MOST_FROM_PARENT)

            # As the child: receive the setting, and run the step.
            message = reader.receive(bounds.MOST_FROM_PARENT)
            received_setting = Setting.decode(MessageFields(message))
            context = context_of(reader, received_setting)
            StepRun(context, RunStep(number, _WARM_SCRIPT, {})).run()

            # As the parent: receive what the step sent, so that the socket does not fill up.
            _skip_to_report(parent_reader)


def _skip_to_report(reader: FrameReader) -> None:
    """Receive the messages of a step, up to the report of its end."""
    while True:
        received = reader.receive(bounds.MOST_FROM_PARENT)
        message = ChildMessage.decode(MessageFields(received))
        if isinstance(message.body, StepReport):
            return

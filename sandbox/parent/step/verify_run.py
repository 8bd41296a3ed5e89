"""Calls the `verify` of a submitted answer, the script's own check, in the child."""

from __future__ import annotations

import time

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.host import VerifyReply
from controlplane.sandbox.interface.messages.child_results import (
    StepReport,
    VerifyResult,
)
from controlplane.sandbox.interface.messages.frames import Overdue
from controlplane.sandbox.interface.messages.parent_messages import RunVerify
from controlplane.sandbox.parent.step.exchange import Exchange
from controlplane.sandbox.parent.step.lost_child import (
    CHILD_FAILURES,
    LostChild,
    early_end,
    unexpected_message,
)


class VerifyRun:
    """Calls `verify`, which has a shorter time of its own within the time of the step."""

    def __init__(
        self, exchange: Exchange, lost_child: LostChild, verify_s: float
    ) -> None:
        self._exchange = exchange
        self._lost_child = lost_child
        self._verify_s = verify_s

    def ask(self, is_blank: bool) -> VerifyReply:
        """Call the script's `verify` in the child, and meanwhile answer its calls.

        The reply is negative if `verify` raises an exception, exceeds its time, or breaks
        its process.
        """
        deadline = self._exchange.conversation.deadline
        step_ends_at = deadline.moment
        verify_ends_at = time.monotonic() + self._verify_s + bounds.SCRIPT_GRACE_S
        try:
            with (
                self._exchange.callers.during_verify(),
                deadline.replaced_by(min(step_ends_at, verify_ends_at)),
            ):
                return self._reply(is_blank)
        except CHILD_FAILURES as error:
            if isinstance(error, Overdue) and verify_ends_at < step_ends_at:
                # It would otherwise be said that the step ran too long.
                text = f"verify ran longer than {self._verify_s:g} s"
                self._lost_child.set_time_over(text)
            end = self._lost_child.end_child(error)
            return VerifyReply(False, end.error)

    def _reply(self, is_blank: bool) -> VerifyReply:
        """Ask the child to call `verify`, and answer requests until the reply comes."""
        self._exchange.conversation.send(RunVerify(is_blank))
        match self._exchange.next_result():
            case VerifyResult(reply):
                return reply
            case StepReport() as report:
                # The step ended before `verify` did.
                raise early_end(report)
            case _:
                raise unexpected_message()

"""The exchange of one step: answers the child's requests until it sends a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from controlplane.sandbox.interface.host import VerifyReply
from controlplane.sandbox.interface.messages.child_requests import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
)
from controlplane.sandbox.interface.messages.child_results import (
    FunctionFault,
    FunctionFields,
    StepReport,
    VerifyResult,
)
from controlplane.sandbox.parent.step.callers import Callers
from controlplane.sandbox.parent.step.conversation import Conversation
from controlplane.sandbox.parent.step.request_answers import RequestAnswers
from controlplane.sandbox.parent.step.trial_state import TrialState

Result: TypeAlias = VerifyResult | FunctionFields | FunctionFault | StepReport
"""A message with which the child ends what it was told to do."""


class Exchange:
    """Receives the child's messages during one step, and answers its requests."""

    def __init__(
        self,
        state: TrialState,
        conversation: Conversation,
        run_verify: Callable[[bool], VerifyReply],
    ) -> None:
        """`run_verify` calls the script's `verify` in the child: see `Verify.ask` in `host`."""
        self.conversation = conversation
        self.callers = Callers()
        self._answers = RequestAnswers(state, conversation, self.callers, run_verify)
        self.counts = self._answers.counts

    def next_result(self) -> Result:
        """Answer requests until a result comes."""
        while True:
            message = self.conversation.receive()
            match message.body:
                case None:
                    continue  # The message only brought text or a scratchpad.
                case CallRequest() | CallsRequest() | CiteRequest() | AnswerRequest():
                    answer = self._answers.answer(message.body, message.request_number)
                    self._send(answer)
                case result:
                    return result

    def _send(self, answer: bytes) -> None:
        # A script may end without reading its last answer. A function or `verify`, during
        # which requests may only read, waits for every answer.
        is_script = not self.callers.may_only_read
        max_bytes = self._answers.max_answer_bytes
        self.conversation.send_answer(answer, max_bytes, may_hang_up=is_script)

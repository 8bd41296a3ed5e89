"""Answers the requests of a child: makes its calls, cites, and submits."""

from __future__ import annotations

from collections.abc import Callable

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.argument_binding import UnboundArguments
from controlplane.sandbox.interface.error_codes import (
    FAILED_PRECONDITION,
    CallError,
    Refusal,
)
from controlplane.sandbox.interface.host import Verify, VerifyReply
from controlplane.sandbox.interface.json_documents import json_bytes
from controlplane.sandbox.interface.messages.child_requests import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    Request,
)
from controlplane.sandbox.interface.messages.parent_messages import (
    NOT_ACCEPTED,
    UNBOUND,
    answer_bytes,
    refusal_bytes,
)
from controlplane.sandbox.interface.results import guarded
from controlplane.sandbox.parent.step.callers import Callers
from controlplane.sandbox.parent.step.checked_calls import CheckedCalls
from controlplane.sandbox.parent.step.conversation import Conversation
from controlplane.sandbox.parent.step.request_counts import RequestCounts
from controlplane.sandbox.parent.step.trial_state import TrialState


class RequestAnswers:
    """Replies to the requests that the child, an untrusted process, sends during one step.

    A request is to make a call, to cite a path as a source, or to submit the answer of the
    trial (`AnswerRequest`). `answer` means the reply to any of them.
    """

    def __init__(
        self,
        state: TrialState,
        conversation: Conversation,
        callers: Callers,
        run_verify: Callable[[bool], VerifyReply],
    ) -> None:
        """`run_verify` calls the script's `verify` in the child, as `Verify.ask` describes."""
        self._state = state
        self._callers = callers
        self._run_verify = run_verify
        self.counts = RequestCounts(state.limits)
        """How many requests and calls the step has made; raises if there are too many."""
        self._calls = CheckedCalls(state, conversation, callers, self.counts)

    @property
    def max_answer_bytes(self) -> int:
        """The most bytes of a reply. A function of the benchmark may read more than a script."""
        if self._callers.in_function:
            return bounds.MOST_REQUEST_BYTES
        return self._state.limits.call_bytes

    def answer(self, request: Request, number: int) -> bytes:
        """Return the message that answers a request, or that says why it is refused.

        Raises `Forged` for a request that a genuine child never makes, and
        `LimitExceeded` after too many requests.
        """
        self.counts.count_request(number)
        try:
            return answer_bytes(self._result_of(request))
        except UnboundArguments as error:
            return refusal_bytes(UNBOUND, error.message)
        except CallError as error:
            return refusal_bytes(str(error.code), str(error.message))
        except Refusal as error:
            return refusal_bytes(NOT_ACCEPTED, str(error))

    def _result_of(self, request: Request) -> bytes:
        """Return the result of a request as JSON. Raises `CallError`, `Refusal` or `Forged`."""
        if self._state.has_answered:
            raise CallError(
                FAILED_PRECONDITION, "the answer was accepted; the trial is over"
            )
        match request:
            case CallRequest():
                return self._calls.call(request)
            case CallsRequest():
                return self._calls.call_all(request)
            case CiteRequest():
                return self._cite(request)
            case AnswerRequest():
                return self._submit(request)

    def _cite(self, request: CiteRequest) -> bytes:
        """Return the cited path as JSON, in its own spelling: `docs/A.md` -> `"/docs/a.md"`.

        Raises `Refusal` if the host does not accept it as a source.
        """
        self._callers.require_permission_to_change("cite is not possible there")
        host = self._state.host

        def cite() -> str:
            return str(host.cite(request.path, request.reason, request.quote))

        return json_bytes(guarded("citing", cite))

    def _submit(self, request: AnswerRequest) -> bytes:
        """Submit the answer in the scratchpad to the host, which may call `verify` meanwhile.

        Returns null as JSON if the host accepts the answer, and raises `Refusal` if not. An
        accepted answer is the last one: all later requests are refused.
        """
        self._callers.require_permission_to_change("answer is not possible there")
        host = self._state.host
        verify = Verify(
            request.verify_is_callable,
            request.verify_takes_one_argument,
            self._run_verify,
        )
        scratchpad = self._state.flat_scratchpad
        guarded("answering", lambda: host.answer(scratchpad, verify))
        self._state.has_answered = True
        return b"null"

"""The dialogue of a step with the parent: requests, and what the parent asks for meanwhile.

A script calls `harness.read("/a.md")`; the request is sent, and the script waits for the
reply. Before the parent replies, it may ask this process to call the script's `verify` (the
script's own check of its answer), or to run a function of the benchmark.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, auto
from inspect import signature
from types import ModuleType
from typing import Any, Final, TypeAlias

from controlplane.sandbox.child.step.harness import function_harness
from controlplane.sandbox.child.step.scratchpad import (
    CitationError,
    GateRejection,
    HarnessError,
    Scratchpad,
    encode,
)
from controlplane.sandbox.child.step.step_errors import StepContext, StepErrors
from controlplane.sandbox.child.walls.step_timers import longer_call
from controlplane.sandbox.functions import Call, Harness, Outcome, run_function
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.host import VerifyReply
from controlplane.sandbox.interface.json_documents import is_larger, json_text
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages.child_messages import (
    ChildBody,
    ChildMessage,
)
from controlplane.sandbox.interface.messages.child_requests import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    NamedCall,
    Request,
)
from controlplane.sandbox.interface.messages.child_results import (
    FunctionFault,
    FunctionFields,
    VerifyResult,
)
from controlplane.sandbox.interface.messages.frames import (
    FrameReader,
    TooLong,
    send_body,
)
from controlplane.sandbox.interface.messages.message_fields import MessageFields
from controlplane.sandbox.interface.messages.parent_messages import (
    NOT_ACCEPTED,
    UNBOUND,
    Answered,
    ParentMessage,
    Refused,
    RunFunction,
    RunVerify,
    Setting,
    decode_parent_message,
)
from controlplane.sandbox.interface.messages.tagged_values import CONTENT, TAG, damaged
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.parameters import Plain
from controlplane.sandbox.interface.records import Record

# Addresses of objects in printed text, such as `0x7f3a5c0b1d60`, which differ between runs.

ADDRESS: Final = "0x5ab1e0000040"
"""Replaces every real address in printed text. Any number of the usual length would do."""

# `at ` in `<map object at 0x7f3a5c0b1d60>`
_BEFORE_ADDRESS: Final = r"(?:(?<= at )|(?<= @ ))"
# `0x7f3a5c0b1d60`
_HEX_NUMBER: Final = r"0x[0-9a-f]{6,16}"
# `>`, or `,` in `<code object f at 0x7f3a5c0b1d60, file ...>`
_AFTER_ADDRESS: Final = r"(?=[>,;:])"

_REAL_ADDRESS: Final = re.compile(_BEFORE_ADDRESS + _HEX_NUMBER + _AFTER_ADDRESS)
"""Matches an address as Python shows it in the `repr` of an object.
Other hexadecimal numbers do not have such neighbours."""


def with_stable_addresses(text: str) -> str:
    """Return a text with `ADDRESS` instead of real addresses, which differ between runs."""
    if " 0x" not in text:
        return text
    return _REAL_ADDRESS.sub(ADDRESS, text)


# What a script's process is doing: running the script, its `verify`, or another function.


class Activity(Enum):
    """What the process is doing in a step."""

    SCRIPT = auto()
    """It runs the script. If the scratchpad has changed, it is sent with the next request."""
    VERIFY = auto()
    """It calls `verify`, the script's own check of its answer. Calls of `verify` may only read."""
    FUNCTION = auto()
    """It runs a function of the benchmark, which may only read and has no scratchpad."""
    OVER = auto()
    """The step is over. Objects of the step may still exist, for example a function
    that the script put somewhere. They can no longer make requests or print."""


class CurrentActivity:
    """What the process is doing now. A step begins with its script."""

    def __init__(self) -> None:
        self._activity = Activity.SCRIPT

    @property
    def is_over(self) -> bool:
        return self._activity is Activity.OVER

    @property
    def is_script(self) -> bool:
        """True if the script itself runs, which may change the scratchpad."""
        return self._activity is Activity.SCRIPT

    @property
    def has_scratchpad(self) -> bool:
        """True if a function of the benchmark does not run, and the step is not over."""
        return self._activity in (Activity.SCRIPT, Activity.VERIFY)

    @property
    def is_verify(self) -> bool:
        return self._activity is Activity.VERIFY

    def end(self) -> None:
        """Say that the step is over."""
        self._activity = Activity.OVER

    @contextmanager
    def during(self, activity: Activity) -> Iterator[None]:
        """Set the current activity within the block, and restore the previous one afterwards."""
        activity_before = self._activity
        self._activity = activity
        try:
            yield
        finally:
            self._activity = activity_before


# The printed text of a step, of which the beginning and the end are kept.

FLUSH_CHARS: Final = 16_000
"""As soon as this much printed text waits, it is sent in a message of its own."""


class OutputBuffer:
    """Keeps the beginning and the end of what a step prints, at most `max_chars` characters.

    The first half of the permitted text is sent to the parent while the step runs. Of
    all text after that, only the last characters are kept, as many as the other half
    permits. They are sent with the end of the step. With 10 characters permitted,
    `abcdefghijklmnop` becomes `abcde`, a note that 6 are cut out, and `lmnop`.
    """

    def __init__(self, max_chars: int) -> None:
        self._max_chars_per_half = max_chars // 2

        self._waiting_parts: list[str] = []
        """Text of the first half that was not sent yet."""
        self.waiting_chars = 0
        """The length of that text."""
        self._first_half_room = self._max_chars_per_half
        """Characters that can still be added to the first half."""

        self._later_parts: list[str] = []
        """Text after the first half, whose beginning may have been dropped."""
        self._later_chars = 0
        """The length of that text, without what was dropped."""
        self._dropped_chars = 0

    def add(self, text: str) -> None:
        """Add printed text."""
        # 1. What belongs to the first half.
        if self._first_half_room > 0:
            beginning = text[: self._first_half_room]
            text = text[self._first_half_room :]
            self._waiting_parts.append(beginning)
            self.waiting_chars += len(beginning)
            self._first_half_room -= len(beginning)

        # 2. All later text. Shortening copies all of it, so it is not done at every call, but only
        #    when there is far more text than is kept.
        if text:
            self._later_parts.append(text)
            self._later_chars += len(text)
            far_more_than_kept = 4 * self._max_chars_per_half + FLUSH_CHARS
            if self._later_chars > far_more_than_kept:
                self._shorten_later_text()

    def waiting_text(self) -> str:
        """Return the text of the first half that was not sent yet. `mark_sent` follows it."""
        return "".join(self._waiting_parts)

    def mark_sent(self) -> None:
        """Forget the text that `waiting_text` returned, because it was sent."""
        self._waiting_parts = []
        self.waiting_chars = 0

    def end(self) -> str:
        """Return the text after the first half, for the last message of the step.

        If some was dropped, a line in front says how much.
        """
        end = self._shorten_later_text()
        if self._dropped_chars:
            return f"\n... {self._dropped_chars} characters cut out here ...\n{end}"
        return end

    def _shorten_later_text(self) -> str:
        """Drop all later text except its last characters, and return these."""
        text = "".join(self._later_parts)
        end = ""
        if self._max_chars_per_half > 0:
            end = text[-self._max_chars_per_half :]
        self._dropped_chars += len(text) - len(end)
        self._later_parts = [end]
        self._later_chars = len(end)
        return end


# The messages of a step to and from the parent.
#
# Printed text is not sent by itself: it travels with the next message.


class Channel:
    """The child's end of the connection to the parent, during one step.

    The child is the process of a script. Printed text waits here until a message is sent, such
    as a request, which takes it along.
    """

    def __init__(self, reader: FrameReader, limits: Limits) -> None:
        self._reader = reader
        """Receives from the connection, which is also used to send."""
        self._max_message_bytes = limits.frame_bytes
        self._output = OutputBuffer(limits.output_chars)
        """The printed text that was not sent yet."""
        self._is_sending = False
        """True in the middle of `send`, which a signal may interrupt."""
        self._postponed: Callable[[], None] | None = None
        """The action to call when the present message is sent (`postpone_while_sending`)."""

    def print(self, text: str) -> None:
        """Keep printed text for the next message. Much text is sent at once."""
        # Replace the addresses of objects (`<Point object at 0x7f...>`) before the text is
        # divided into messages, which could divide an address.
        self._output.add(with_stable_addresses(text))
        if self._output.waiting_chars >= FLUSH_CHARS:
            self.send()

    def end_of_output(self) -> str:
        """Return the end of the printed text, whose beginning came with the messages."""
        return self._output.end()

    def send(
        self,
        body: ChildBody | None = None,
        scratchpad: Plain = None,
        request_number: int = 0,
    ) -> None:
        """Send one message, with the text printed since the last message.

        `request_number` counts the requests of a step, so that the parent recognizes a
        repeated one. It is 0 for a message that is not a request.
        """
        self._is_sending = True
        try:
            printed = self._output.waiting_text()
            message = ChildMessage(body, printed, scratchpad, request_number)
            # Arguments and tracebacks may contain addresses, too.
            message_text = with_stable_addresses(json_text(message.encode()))
            message_bytes = message_text.encode("utf-8", "replace")
            send_body(self._reader.connection, message_bytes, self._max_message_bytes)
            self._output.mark_sent()
        finally:
            self._is_sending = False
        if self._postponed is not None:
            # The action calls `postpone_while_sending` again, which now forgets the action.
            self._postponed()

    def postpone_while_sending(self, action: Callable[[], None]) -> bool:
        """Return True if a message is being sent. Then `action` is called after it.

        The signal of a timer may interrupt `send`. Its handler must not send a message
        in the middle of the other one. So the handler first calls this method, with
        itself as the action, and returns if the answer is True.
        """
        if self._is_sending:
            self._postponed = action
            return True
        self._postponed = None  # The caller acts now, so no later call is needed.
        return False

    def receive(self) -> ParentMessage:
        """Return the parent's next message."""
        message = self._reader.receive(bounds.MOST_FROM_PARENT)
        return decode_parent_message(MessageFields(message))


# The calls of a script: requests to the parent, and the exceptions for refused ones.

Ask: TypeAlias = Callable[[Request], Answered | Refused]
"""Sends a request to the parent, and returns its reply."""


class ScriptCalls:
    """Makes the requests of a script to the parent: calls, citations and the answer.

    `call("read", ["/a.md"], {})` is made for a script's `harness.read("/a.md")`. Each method
    returns what the parent replies. If the parent refuses, it raises the exception that the
    script gets, such as `FileNotFoundError`.
    """

    def __init__(self, ask: Ask, operations: tuple[Operation, ...]) -> None:
        self._ask = ask
        """Sends a request to the parent, and returns its reply."""
        self._call_seconds = _seconds_of_long_calls(operations)
        """The time limits of operations that have one of their own, by name."""

    def call(self, operation: str, positional: list[Any], named: dict[str, Any]) -> Any:
        """Make a call and return its result."""
        request = CallRequest(operation, positional, named)
        longest_s = self._call_seconds.get(operation)
        if longest_s is None:
            reply = self._ask(request)
        else:
            # The call has its own time limit. Its time does not count as time of the step.
            with longer_call(longest_s):
                reply = self._ask(request)

        if isinstance(reply, Refused):
            raise _call_exception(reply)
        return reply.value

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make several calls at the same time, for a function of the benchmark.

        Returns their outcomes in the same order: the result of each call, or a `CallError`,
        which is not raised. Raises only if the request as a whole is refused.
        """
        named_calls = [
            NamedCall(operation, dict(arguments)) for operation, arguments in calls
        ]
        reply = self._ask(CallsRequest(named_calls))
        if isinstance(reply, Refused):
            raise _call_exception(reply)

        # The value of the reply is a list. Each item is an encoded message, as the parent would
        # send it in reply to a single call.
        outcomes: list[Outcome] = []
        for encoded_reply in reply.value:
            match decode_parent_message(MessageFields(encoded_reply)):
                case Answered(result):
                    outcomes.append(result)
                case Refused(code, message):
                    outcomes.append(CallError(code, message))
        return outcomes

    def cite(self, path: str, reason: str, quote: str) -> str:
        """Cite a path as a source, and return it in its own spelling: `docs/A.md` -> `/docs/a.md`.

        Raises `CitationError` if the parent does not accept it, for example if it was not read.
        """
        reply = self._ask(CiteRequest(path, reason, quote))
        if isinstance(reply, Answered):
            return str(reply.value)
        if reply.code == NOT_ACCEPTED:
            raise CitationError(reply.message)
        raise _call_exception(reply)

    def submit(self, request: AnswerRequest) -> None:
        """Submit the answer. Raises `GateRejection`, with the reasons, if its checks refuse it."""
        reply = self._ask(request)
        if isinstance(reply, Refused):
            raise _call_exception(reply)


def _seconds_of_long_calls(operations: tuple[Operation, ...]) -> dict[str, float]:
    """Return the seconds that calls may take beside their step's: `{"search": 120.0}`.

    Operations without such time are left out.
    """
    seconds = {}
    for operation in operations:
        if operation.longest_s:
            seconds[operation.name] = operation.longest_s
    return seconds


def _call_exception(refused: Refused) -> Exception:
    """Return the exception that a script's call raises if the parent refuses it or it fails."""
    if refused.code == UNBOUND:
        return TypeError(refused.message)
    if refused.code == NOT_ACCEPTED:
        return GateRejection(refused.message)
    if refused.code == NOT_FOUND:
        return FileNotFoundError(refused.message)
    return HarnessError(refused.code, refused.message)


# Runs functions of the benchmark, which make calls like a script.


class FunctionRuns:
    """Runs the functions of loaded modules."""

    def __init__(
        self, modules: Mapping[str, ModuleType], setting: Setting, calls: ScriptCalls
    ) -> None:
        self._modules = modules
        self._setting = setting
        self._calls = calls
        self.is_out_of_memory = False
        """True if a function reached the memory limit of this process."""

    def outcome(self, task: RunFunction) -> FunctionFields | FunctionFault:
        """Run a function, and return its result or its error."""
        gc.disable()  # A function makes little garbage, and searching for it takes time.
        try:
            fields = run_function(
                self._modules, task.function, self._harness(task), task.arguments
            )
        except (CallError, HarnessError) as error:
            # A call of the function failed, or the function raised such an error on purpose.
            return FunctionFault(error.code, error.message)
        except BaseException as error:  # noqa: BLE001 - the border to the function
            if isinstance(error, MemoryError):
                self.is_out_of_memory = True
            text = f"{task.function} broke: {type(error).__name__}: {error}"
            return FunctionFault(INTERNAL, text)
        finally:
            gc.enable()
        return FunctionFields(fields)

    def _harness(self, task: RunFunction) -> Harness:
        known_calls = []
        for call in task.known_calls:
            known_calls.append((call.operation, call.arguments, call.result))
        return function_harness(
            self._setting.operations,
            self._calls.call,
            self._calls.call_all,
            self._setting.executables,
            known_calls,
        )


# The requests of a step, such as calls, as they are sent to the parent.


class Requests:
    """Sends the requests of a step, which are numbered from 1."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._last_number = 0

    def send(self, request: Request, scratchpad: Plain) -> None:
        """Send a request. Raises `HarnessError` or `TypeError` if it cannot be sent."""
        number = self._last_number + 1
        try:
            self._channel.send(request, scratchpad, number)
        except TooLong as error:
            raise HarnessError(RESOURCE_EXHAUSTED, str(error)) from None
        except (TypeError, ValueError, RecursionError) as error:
            name = request.operation if isinstance(request, CallRequest) else "calls"
            msg = f"harness.{name}: an argument is not plain data ({error})"
            raise TypeError(msg) from None
        # Count only requests that were sent: the parent expects numbers without a gap.
        self._last_number = number


# Decodes the values of a scratchpad that an earlier step has kept (`encoded_values`).
#
# The result equals what was encoded, with three exceptions: a dataclass comes back as a
# dict of its fields, the time zone of a time as its offset, and an object of a subclass
# (such as a member of a `StrEnum`) as one of the plain type.


def decode(encoded: Plain) -> Any:
    """Return the value of an encoded form. Raises `Damaged` if it is not one."""
    if isinstance(encoded, list):
        return [decode(item) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    if encoded.get(TAG) is None:  # a mapping without a tag
        return {key: decode(item) for key, item in encoded.items()}
    try:
        return _decode_tagged(str(encoded[TAG]), encoded[CONTENT])
    except (KeyError, TypeError, ValueError, ArithmeticError, OSError) as error:
        raise damaged(encoded) from error


def _decode_tagged(tag: str, content: Any) -> Any:
    """Return the value of a tag with its content.

    Raises `KeyError` for an unknown tag, and the errors
    of the types for a content of another form.
    """
    match tag:
        case "dict":
            return {decode(key): decode(item) for key, item in content}
        case "tuple":
            return tuple(decode(item) for item in content)
        case "set":
            return {decode(item) for item in content}
        case "frozenset":
            return frozenset(decode(item) for item in content)
        case "datetime":
            return datetime.fromisoformat(content)
        case "date":
            return date.fromisoformat(content)
        case "time":
            return time.fromisoformat(content)
        case "timedelta":
            days, seconds, microseconds = content
            return timedelta(days, seconds, microseconds)
        case "decimal":
            return Decimal(content)
        case "float":
            return float(content)
        case _:
            raise KeyError(tag)


# The scratchpad as it was last sent to the parent. It is sent again only if it has changed.
#
# The scratchpad is the dict in which a script keeps what later scripts need. The parent stores it,
# because this process may end at any time.

_SHOWN_KEY_CHARS: Final = 80


class SentScratchpad:
    """Compares the scratchpad of a step with its form that was sent to the parent last."""

    def __init__(self, scratchpad: dict[str, Any], max_bytes: int) -> None:
        self._scratchpad = scratchpad
        self._max_bytes = max_bytes
        self._sent: Plain = None
        """The encoded scratchpad that was sent last, or that the next message will send."""

    def fill(self, encoded: Plain) -> None:
        """Give the scratchpad the content that it had at the end of the last step.

        Raises `Damaged` if it cannot be read; then the scratchpad stays empty.
        """
        self._sent = encoded
        dict.update(self._scratchpad, decode(encoded))

    def take_changed(self) -> Plain:
        """Return the encoded scratchpad if it changed since it was last sent, otherwise None.

        From then on it counts as sent, so the caller must send it with the next message.
        Raises an error if the scratchpad cannot be kept. Methods of its values, which a script
        may have written, may raise any other.
        """
        encoded = encode(dict(self._scratchpad))
        if encoded == self._sent:
            return None
        check_size(encoded, self._max_bytes)
        self._sent = encoded
        return encoded

    def copy(self) -> dict[str, Any]:
        """Return a copy with the values that the parent and the next step get.

        They are encoded and decoded: a dataclass becomes a dict.
        """
        copy: dict[str, Any] = decode(encode(dict(self._scratchpad)))
        return copy


def check_size(encoded: Any, max_bytes: int) -> None:
    """Raise `ValueError` if an encoded scratchpad is too large.

    The message names its largest key.
    """
    # The JSON of a key is a list with the key and its value: `["rows", [1, 2]]`.
    json_by_key = {
        key: json.dumps([key, value]).encode() for key, value in encoded.items()
    }
    all_json = b"".join(json_by_key.values())
    size = len(all_json)

    # `is_larger` counts lists and mappings, also the list made above for each key. The
    # scratchpad itself does not have these, so that many more are allowed.
    lists_made_here = len(json_by_key)
    has_too_many_parts = is_larger(
        all_json, bounds.MOST_SCRATCHPAD_PARTS + lists_made_here
    )

    if size > max_bytes:
        fault = f"{size} bytes, at most {max_bytes} are kept"
    elif has_too_many_parts:
        fault = f"more than {bounds.MOST_SCRATCHPAD_PARTS} lists and mappings"
    else:
        return
    largest_key = max(json_by_key, key=lambda key: len(json_by_key[key]))
    msg = f"the scratchpad has {fault}; its largest key is {largest_key[:_SHOWN_KEY_CHARS]!r}"
    raise ValueError(msg)


# A script's submission: `harness.answer(scratchpad, verify)`, with its own check `verify`.
#
# The parent asks for two calls of `verify`: one with the scratchpad as it is, and one
# without the submitted values. A check that says yes to both checks nothing.


class AnswerSubmission:
    """Submits the answer in a scratchpad, and keeps its `verify` for the parent's question."""

    def __init__(
        self, scratchpad: Scratchpad, calls: ScriptCalls, activity: CurrentActivity
    ) -> None:
        self._scratchpad = scratchpad
        self._calls = calls
        self._activity = activity
        self._verify: Any = None
        """The `verify` of the submitted answer."""

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad's answer with the script's own check. Raises `GateRejection`."""
        # A script may pass a dict of its own. Its items are then added to the scratchpad.
        if scratchpad is not None and scratchpad is not self._scratchpad:
            if not isinstance(scratchpad, dict):
                kind = type(scratchpad).__name__
                msg = f"harness.answer(scratchpad, verify) takes the scratchpad, not {kind}"
                raise TypeError(msg)
            self._scratchpad.update(scratchpad)

        # `verify` may submit an answer itself. The parent refuses that, so the `verify` of the
        # first answer is kept.
        if not self._activity.is_verify:
            self._verify = verify

        request = AnswerRequest(
            verify_is_callable=callable(verify),
            verify_takes_one_argument=takes_one_argument(verify),
        )
        self._calls.submit(request)

    def verify(
        self, values: dict[str, Any], describe: Callable[[BaseException], str]
    ) -> VerifyReply:
        """Call `verify` with a copy of the scratchpad, and return its reply.

        An exception counts as no. `describe` returns its text.
        """
        with self._activity.during(Activity.VERIFY):
            try:
                return VerifyReply(is_yes(self._verify(Record(values))), "")
            except BaseException as error:  # noqa: BLE001 - the border to the script
                return VerifyReply(False, describe(error))

    def forget(self) -> None:
        """Forget `verify` at the end of the step."""
        self._verify = None


def without_submission(scratchpad: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a scratchpad in which the submitted values are blank."""
    blank_values: dict[str, Plain] = {"answer": "", "outcome": "", "refs_why": {}}
    copy = dict(scratchpad)
    for name, blank_value in blank_values.items():
        if name in copy:
            copy[name] = blank_value
    return copy


def is_yes(reply: Any) -> bool:
    """Return True if a reply of `verify` is a yes: `True`, or a mapping whose `ok` is `True`."""
    if isinstance(reply, dict):
        return reply.get("ok") is True
    return reply is True


def takes_one_argument(function: Any) -> bool:
    """Return True if `function` can be called with one positional argument; True if unknown."""
    try:
        signature(function).bind(None)
    except TypeError:
        return False
    except BaseException:  # noqa: BLE001 - the object may have a `__signature__` of the script
        return True
    return True


class Dialogue:
    """Makes the requests of a step, and does what the parent asks for before it replies.

    A script's `harness.read("/a.md")` becomes a request, and the parent's reply its result.
    Before the reply, the parent may ask to run `verify`, the script's check of its answer, or a
    function of the benchmark.
    """

    def __init__(self, context: StepContext, errors: StepErrors) -> None:
        setting = context.setting
        self._errors = errors
        self.activity = CurrentActivity()
        """What this process runs now: the script, its `verify`, or a function."""
        self.channel = Channel(context.reader, setting.limits)
        """The connection, which carries all messages and the printed text."""
        self._requests = Requests(self.channel)
        """Numbers the requests as it sends them."""

        # What scripts and functions use. The results of `harness` come from `reply_to`.
        self.calls = ScriptCalls(self.reply_to, setting.operations)
        """The calls of `harness`, such as `read`."""
        self.scratchpad = Scratchpad(self.calls.cite, self.send_scratchpad)
        """The dict that the script sees."""
        self.sent_scratchpad = SentScratchpad(
            self.scratchpad, setting.limits.scratchpad_bytes
        )
        """What the parent knows of that dict."""
        self.submission = AnswerSubmission(self.scratchpad, self.calls, self.activity)
        """`harness.answer`, and the script's `verify`."""
        self._functions = FunctionRuns(context.functions, setting, self.calls)
        """The functions of the benchmark."""

    @property
    def is_out_of_memory(self) -> bool:
        """True if a function of the benchmark reached the memory limit of this process."""
        return self._functions.is_out_of_memory

    def print(self, text: str) -> None:
        """Keep text printed while the step runs, and drop text printed after its end."""
        if not self.activity.is_over:
            self.channel.print(text)

    def send_scratchpad(self) -> None:
        """Send the scratchpad if it changed.

        This is not a request, so the parent sends no answer.
        """
        scratchpad = self._changed_scratchpad()
        if scratchpad is not None:
            self.channel.send(scratchpad=scratchpad)

    def _changed_scratchpad(self) -> Plain:
        """Return the scratchpad if the script has changed it since it was sent, otherwise None.

        The caller sends it, so it counts as sent from now on.
        """
        # `verify` and functions have no scratchpad that they could change.
        if not self.activity.is_script:
            return None
        return self.sent_scratchpad.take_changed()

    def reply_to(self, request: Request) -> Answered | Refused:
        """Send a request and return the parent's reply, after doing what the parent asks for.

        Raises `RuntimeError` if the step is over, for example in a finalizer of the script.
        """
        if self.activity.is_over:
            msg = "the step is over"
            raise RuntimeError(msg)
        self._requests.send(request, self._changed_scratchpad())

        while True:
            message = self.channel.receive()
            match message:
                case Answered() | Refused():
                    return message
                case RunVerify():
                    self._call_verify(message)
                case RunFunction():
                    self.run_function(message)

    def _call_verify(self, task: RunVerify) -> None:
        """Call the script's `verify` on a copy of the scratchpad, and send what it returned.

        `is_blank` asks for a copy without the answer. A `verify` that then says yes checks
        nothing.
        """
        copy = self.sent_scratchpad.copy()
        if task.is_blank:
            copy = without_submission(copy)
        reply = self.submission.verify(copy, self._errors.describe)
        self.channel.send(VerifyResult(reply))

    def run_function(self, task: RunFunction) -> None:
        """Run a function of the benchmark, and send its result or its error.

        A result that cannot be sent, for example because it is too long, becomes an error.
        """
        with self.activity.during(Activity.FUNCTION):
            outcome = self._functions.outcome(task)
        try:
            self.channel.send(outcome)
        except (TooLong, TypeError, ValueError, RecursionError) as error:
            text = f"{task.function} found no plain data: {error}"
            self.channel.send(FunctionFault(INTERNAL, text))

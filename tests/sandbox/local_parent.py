"""Does in one process what the sandbox's parent process does for a script in a child process.

So a script that uses `harness` and `scratchpad` runs in plain Python, without a sandbox, and makes
its calls to the host of the tests.
"""

import contextlib
import json
import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from controlplane.sandbox import (
    Ending,
    FileTree,
    ForkServer,
    Refusal,
    Sandbox,
    StepResult,
    Verify,
    VerifyReply,
)
from controlplane.sandbox.child.step.scratchpad import (
    CitationError,
    GateRejection,
    HarnessError,
    Scratchpad,
)
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    Plain,
    ToolSchema,
)
from controlplane.sandbox.interface.argument_binding import (
    UnboundArguments,
    bound_arguments,
)
from controlplane.sandbox.interface.results import check_exit

# What the scripts of the sandbox's tests may call, and what their clocks show.
#
# A script cannot open files or sockets. It calls a `harness` instead, which has a method for each
# declared operation: `harness.read("/AGENTS.MD")`, `harness.exec("/bin/id")`.

NOW = datetime(2026, 3, 11, 14, 45, 13, tzinfo=UTC)
"""What the clocks of all scripts show; they stand still."""

TOOL_SCHEMA = ToolSchema(
    FILE_OPERATIONS,
    executables=(
        Executable("/bin/id", ExecutableKind.READS),
        Executable("/bin/cat", ExecutableKind.READS),
        Executable("/bin/checkout", ExecutableKind.CHANGES),
    ),
)
"""What scripts may call: reading, writing and searching files, and three tools.

Only `/bin/checkout` changes the world, so that it is refused while `verify` runs.
"""

OPERATION_NAMES = frozenset(operation.name for operation in TOOL_SCHEMA.operations)
"""The names of all calls that scripts may make: read, list, write, exec and so on."""


# Errors of a call as the exceptions that a script sees.
#
# A call of a missing file fails with `CallError("not_found", …)` in the parent process, and a script
# sees `FileNotFoundError`.


@contextlib.contextmanager
def errors_of_scripts(refusal_type: type[Exception]) -> Iterator[None]:
    """Raise errors of the parent as a script sees them; a refusal is of the type `refusal_type`.

    After `with errors_of_scripts(CitationError)`, `Refusal("the reason is too short")` becomes
    `CitationError("the reason is too short")`.
    """
    try:
        yield
    except Refusal as refusal:
        raise refusal_type(str(refusal)) from None
    except UnboundArguments as error:
        raise TypeError(str(error)) from None
    except CallError as error:
        if error.code == "not_found":
            raise FileNotFoundError(error.message) from None
        raise HarnessError(error.code, error.message) from None


# What the host of a test records: calls of scripts, and what a script's check of its answer said.


class HostCall(NamedTuple):
    """A call of a script as the host received it: `("read", {"path": "/a", ...}, False)`."""

    operation: str
    arguments: dict[str, Plain]
    in_verify: bool
    """True if the script's `verify`, its own check of its answer, made the call."""


class VerifyReplies(NamedTuple):
    """What a script's `verify`, its own check of its answer, said when it was called twice.

    A sound check says yes to the answer and no to a blank one; one that says yes to both has checked
    nothing.
    """

    to_answer: VerifyReply
    to_blank_answer: VerifyReply


# Tools that scripts may run, such as `/bin/echo`, and what they print.


def result_of_tool(path: str, args: list[str], stdin: str) -> dict[str, Plain]:
    """Return what the tool at a path prints, and its exit code; only `/bin/id ARG` fails.

    `result_of_tool("/bin/echo", ["a", "b"], "")` -> `{"stdout": "a b\\n", "stderr": "", "exit_code": 0}`
    """
    outputs = {
        "/bin/id": "clerk-7 (clerk)\n",
        "/bin/date": NOW.isoformat().replace("+00:00", "Z") + "\n",
        "/bin/echo": " ".join(args) + "\n",
        "/bin/cat": stdin,
        "/bin/checkout": "ok\n",
    }
    if path not in outputs:
        raise CallError("not_found", f"there is no tool {path}")
    exit_code = 0
    if path == "/bin/id" and args:
        exit_code = 1
    return {"stdout": outputs[path], "stderr": "", "exit_code": exit_code}


# The files of the small shop that the sandbox's tests run scripts in.
#
# A script reads them by calls: `harness.read("/AGENTS.MD").content` is "Answer in one line.\n". The
# shop has two carts with a payment for each, two pages of rules, and a table of its stock.

# The records of a small shop: two carts, and a payment for each.
_CART_B7 = {
    "id": "b7",
    "status": "open",
    "lines": [
        {"sku": "x", "qty": 2, "price": 9.5},
        {"sku": "y", "qty": 1, "price": 4.25},
    ],
}

_CART_B9 = {
    "id": "b9",
    "status": "open",
    "lines": [{"sku": "z", "qty": 3, "price": 1.0}],
}

_PAYMENT_OF_B7 = {
    "id": "p1",
    "cart": "b7",
    "amount": 23.25,
    "status": "paid",
    "at": "2026-03-01T10:00:00+00:00",
}

_PAYMENT_OF_B9 = {
    "id": "p2",
    "cart": "b9",
    "amount": 4.0,
    "status": "failed",
    "at": "2026-03-05T09:30:00+00:00",
}

# Percentages are written as pages of shops write them: with and without a blank.
FILES = {
    "/AGENTS.MD": "Answer in one line.\n",
    "/docs/checkout.md": "# Checkout\nStock must be there the same day.\nNo refund after 14 days.\n",
    "/docs/discounts.md": "Clerk may give up to 5 % off.\nManager may give up to 20% off. A refund is no discount.\n",
    "/proc/carts/c1/b7.json": json.dumps(_CART_B7),
    "/proc/carts/c2/b9.json": json.dumps(_CART_B9),
    "/proc/payments/p1.json": json.dumps(_PAYMENT_OF_B7),
    "/proc/payments/p2.json": json.dumps(_PAYMENT_OF_B9),
    "/uploads/stock.csv": "sku,qty,price\nx,10,9.50\ny,3,4.25\nz,40,12.00\n",
}
"""The files of the small world, a shop: path and text."""


# A host: it answers the calls of scripts, and records what they did.
#
# The sandbox runs untrusted Python that a language model wrote, in a child process. Each call of a
# script goes to the parent process, where the host answers it:
#
#     harness.read("/a.md")                   call("read", {"path": "/a.md"}, in_verify=False)
#     scratchpad.cite("/a.md", "the rules")   cite("/a.md", "the rules")
#     harness.answer(scratchpad, verify)      answer(scratchpad, verify)
#
# `in_verify` is True for a call that was made by `verify`, the script's own check of its answer.


@dataclass
class RecordingHost:
    """Answers the calls of scripts from the files of the shop, and records what they do."""

    tree: FileTree = field(default_factory=lambda: FileTree(FILES))
    calls: list[HostCall] = field(default_factory=list)
    read_paths: set[str] = field(default_factory=set)
    answers: list[Mapping[str, Plain]] = field(default_factory=list)
    """The accepted answers: what was in the script's scratchpad."""
    verify_replies: list[VerifyReplies] = field(default_factory=list)
    """For each accepted answer, what the script's own check said of it."""

    @property
    def called_operations(self) -> list[str]:
        """The names of the operations that were called, in order: `["stat", "read"]`."""
        return [call.operation for call in self.calls]

    def call(
        self, operation: str, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        self.calls.append(HostCall(operation, arguments, in_verify))
        if operation == "exec":
            return result_of_tool(**arguments)
        file_operation = getattr(self.tree, operation)
        result: dict[str, Plain] = file_operation(**arguments)
        if operation == "read":
            self.read_paths.add(str(result["path"]))
        return result

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Accept any file that exists, with a reason of eight characters, whatever is quoted."""
        if len(reason) < 8:
            raise Refusal("the reason is too short")
        if self.tree.text(path) is None:
            raise Refusal(f"{path} was not read")  # as the gates refuse an unread file
        return path

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Accept any answer without the word "reject", and call the script's `verify` twice.

        `verify` is the script's own check of its answer. It should say yes to the answer, and no
        to a blank one.
        """
        if "reject" in str(scratchpad.get("answer")):
            raise Refusal("gate 3: no references")  # as the gates refuse an answer
        if verify.is_callable and verify.takes_one_argument:
            to_answer, to_blank_answer = [
                verify.ask(is_blank) for is_blank in (False, True)
            ]
            self.verify_replies.append(VerifyReplies(to_answer, to_blank_answer))
        self.answers.append(dict(scratchpad))


# Sandboxes over the small shop, in which tests run scripts step by step.
#
#     with new_sandbox(server, host) as sandbox:
#         result = sandbox.run('print(harness.read("/AGENTS.MD").content)')
#
# Here `result.output` is "Answer in one line.\n", the text of the file.


def new_sandbox(
    server: ForkServer, host: RecordingHost | None = None, **options: Any
) -> Sandbox:
    """Return a sandbox over the small shop, which the caller closes.

    `server` forks the processes that scripts run in. `options` are keyword arguments of
    `Sandbox`, for example `limits` or `isolation`.
    """
    arguments: dict[str, Any] = {"now": NOW, "seed": 1, "server": server}
    arguments.update(options)
    return Sandbox(TOOL_SCHEMA, host or RecordingHost(), **arguments)


def run_to_its_end(sandbox: Sandbox, code: str) -> StepResult:
    """Run a script as one step, which must end without an error."""
    result = sandbox.run(code)
    assert result.ending is Ending.FINISHED, result
    return result


@contextmanager
def memory_growth_below(max_mib: int) -> Iterator[None]:
    """Assert that the block raises the peak memory of the test's process by less than `max_mib`.

    The test's process is the parent of those that run scripts. A script may send it as much as it
    likes, and must not make it grow.
    """
    peak_before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    peak_after_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert peak_after_kib - peak_before_kib < max_mib * 1024


NO_VERIFY = Verify(
    is_callable=False,
    takes_one_argument=False,
    ask=lambda is_blank: VerifyReply(says_yes=True),
)
"""Stands for the script's check of its answer. It is not callable, so that the host never asks it."""


class LocalParent:
    """Takes the place of the sandbox's parent process.

    A script's `harness.read("/a")` becomes `call("read", ["/a"], {})`. If the host refuses something,
    `cite` raises `CitationError`, and the other methods `GateRejection`, as a script in the sandbox
    would see it. After an accepted answer, every method fails.
    """

    def __init__(self) -> None:
        self.scratchpad = Scratchpad(self.cite, lambda: None)  # It is sent nowhere.
        self._host = RecordingHost()
        self._has_answered = False

    def call(self, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        """Make a call. With `check=True`, an exit code of a tool other than 0 raises an error."""
        self._refuse_calls_after_the_answer()
        with errors_of_scripts(GateRejection):
            operation = TOOL_SCHEMA.operation(name)
            assert operation is not None
            arguments = bound_arguments(operation, positional, named, with_check=True)
            is_checked = arguments.pop("check", False)
            result = self._host.call(name, arguments, in_verify=False)
            if is_checked:
                check_exit(operation, arguments, result)
            return result

    def cite(self, path: str, reason: str, quote: str) -> str:
        """Return the cited path. The host of the tests does not look at quotes."""
        self._refuse_calls_after_the_answer()
        with errors_of_scripts(CitationError):
            return self._host.cite(path, reason)

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad of this script, whatever was passed, without asking `verify`."""
        self._refuse_calls_after_the_answer()
        with errors_of_scripts(GateRejection):
            self._host.answer(dict(self.scratchpad), NO_VERIFY)
            self._has_answered = True

    def _refuse_calls_after_the_answer(self) -> None:
        if self._has_answered:
            message = "the answer was accepted; the trial is over"
            raise HarnessError("failed_precondition", message)

"""The small world that the sandbox's tests run scripts in: its files, its host, and how to start.

The sandbox runs untrusted Python that a language model wrote. A script cannot open files or
sockets; it calls a `harness` instead, and the *host* in the parent process answers. Example:
`harness.read("/AGENTS.MD").content` gives "Answer in one line.\\n" in this world.
"""

import json
import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner, Result

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
from controlplane.sandbox.__main__ import main
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    Plain,
    ToolSchema,
)

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


class HostCall(NamedTuple):
    """A call of a script as the host received it: `("read", {"path": "/a", ...}, False)`."""

    operation: str
    arguments: dict[str, Plain]
    in_verify: bool
    """True if the script's `verify`, its own check of its answer, made the call."""


class VerifyReplies(NamedTuple):
    """What a script's `verify` said when it was called twice; see `RecordingHost.answer`."""

    to_answer: VerifyReply
    to_blank_answer: VerifyReply


@dataclass
class RecordingHost:
    """Answers the calls of scripts from `FILES`, and records what they do.

    A script's `harness.read(...)` becomes `call("read", ...)`, `scratchpad.cite(...)` becomes
    `cite`, and `harness.answer(...)` becomes `answer`.
    """

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
            return self._exec(**arguments)
        file_operation = getattr(self.tree, operation)
        result: dict[str, Plain] = file_operation(**arguments)
        if operation == "read":
            self.read_paths.add(str(result["path"]))
        return result

    def _exec(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        """Return what the tool at a path prints, and its exit code; only `/bin/id ARG` fails."""
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

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Accept any file, with a reason of eight characters; the quote is not looked at."""
        if len(reason) < 8:
            raise Refusal("the reason is too short")
        if self.tree.text(path) is None:
            raise Refusal(f"{path} was not read")
        return path

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Accept any answer without the word "reject", and call the script's `verify` twice.

        `verify.ask(False)` shows it the scratchpad, to which it should say yes, and
        `verify.ask(True)` one without the answer, to which it should say no.
        """
        if "reject" in str(scratchpad.get("answer")):
            raise Refusal("gate 3: no references")
        if verify.is_callable and verify.takes_one_argument:
            replies = VerifyReplies(
                to_answer=verify.ask(False), to_blank_answer=verify.ask(True)
            )
            self.verify_replies.append(replies)
        self.answers.append(dict(scratchpad))


def new_sandbox(
    server: ForkServer, host: RecordingHost | None = None, **options: Any
) -> Sandbox:
    """Return a sandbox of the small world, which the caller closes.

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


def run_sandbox_command(*arguments: str | Path, script: str = "") -> Result:
    """Run `python -m controlplane.sandbox` in this process, with `script` as standard input."""
    return CliRunner().invoke(
        main,
        [str(argument) for argument in arguments],
        input=script,
        prog_name="python -m controlplane.sandbox",
    )


def run_script_over_folder(folder: Path, script: str, *options: str) -> dict[str, Any]:
    """Run a script with `folder` as its `/`, and return the JSON object the command printed.

    `run_script_over_folder(folder, "print(1)", "--write")` -> `{"output": "1\\n", ...}`, with the
    further keys error, calls, answered, scratchpad and elapsed_ms.
    """
    command = run_sandbox_command(
        "run", "--files", folder, "--json", *options, script=script
    )
    assert command.exit_code == 0, command.stderr
    assert command.stderr == ""
    result: dict[str, Any] = json.loads(command.stdout)
    return result

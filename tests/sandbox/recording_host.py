"""A host: it answers the calls of scripts, and records what they did.

The sandbox runs untrusted Python that a language model wrote, in a child process. Each call of a
script goes to the parent process, where the host answers it:

    harness.read("/a.md")                   call("read", {"path": "/a.md"}, in_verify=False)
    scratchpad.cite("/a.md", "the rules")   cite("/a.md", "the rules")
    harness.answer(scratchpad, verify)      answer(scratchpad, verify)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from controlplane.sandbox import FileTree, Refusal, Verify, VerifyReply
from controlplane.sandbox.interface import CallError, Plain
from tests.sandbox.declared_calls import NOW
from tests.sandbox.shop_files import FILES


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

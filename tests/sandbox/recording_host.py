"""A host: it answers the calls of scripts, and records what they did.

The sandbox runs untrusted Python that a language model wrote, in a child process. Each call of a
script goes to the parent process, where the host answers it:

    harness.read("/a.md")                   call("read", {"path": "/a.md"}, in_verify=False)
    scratchpad.cite("/a.md", "the rules")   cite("/a.md", "the rules")
    harness.answer(scratchpad, verify)      answer(scratchpad, verify)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from controlplane.sandbox import FileTree, Refusal, Verify
from controlplane.sandbox.interface import Plain
from tests.sandbox.host_records import HostCall, VerifyReplies
from tests.sandbox.printing_tools import result_of_tool
from tests.sandbox.shop_files import FILES


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

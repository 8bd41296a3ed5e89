"""A host: it answers the calls of scripts, and records what they did.

The sandbox runs untrusted Python that a language model wrote, in a child process. Each call of a
script goes to the parent process, where the host answers it:

    harness.read("/a.md")                   call("read", {"path": "/a.md"}, in_verify=False)
    scratchpad.cite("/a.md", "the rules")   cite("/a.md", "the rules")
    harness.answer(scratchpad, verify)      answer(scratchpad, verify)

`in_verify` is True for a call that was made by `verify`, the script's own check of its answer.
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

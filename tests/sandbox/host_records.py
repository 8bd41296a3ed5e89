"""What the host of a test records: calls of scripts, and what a script's check of its answer said."""

from typing import NamedTuple

from controlplane.sandbox import VerifyReply
from controlplane.sandbox.interface import Plain


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

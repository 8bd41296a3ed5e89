"""The form of a wire service: methods by name, each turning a request into proto3 JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class Target:
    """What the URL of a call names."""

    address: str
    """The base URL under which the client reached the server."""
    trial_id: str = ""
    """The trial whose runtime is called; empty for calls of the control plane."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method: turns a request into the fields of a reply, or raises `Refused`."""

    request: type[Message]
    reply: type[Message]
    handle: Callable[[Message, Target], Mapping[str, Plain]]
    subject: Callable[[Message, Target], str]
    """Returns the run or trial of the call: calls with the same subject run one at a time; empty for no limit."""

    @classmethod
    def of(
        cls,
        described: MethodDescriptor,
        handle: Callable[[Message, Target], Mapping[str, Plain]],
        subject: Callable[[Message, Target], str],
    ) -> Method:
        """Return the described method of a `.proto` file."""
        return cls(GetMessageClass(described.input_type), GetMessageClass(described.output_type), handle, subject)


Methods = Mapping[str, Method]

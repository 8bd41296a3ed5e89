"""What a service of the wire is to the server: methods by name, each from a request to proto3 JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from google.protobuf.message import Message

from sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class Target:
    """What the URL of a call says."""

    address: str
    """The base URL under which the client reached the server."""
    trial_id: str = ""
    """The trial whose runtime is called; empty for the control plane."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method, from its request to the fields of its reply. Raises `Refused`."""

    request: type[Message]
    reply: type[Message]
    handle: Callable[[Message, Target], Mapping[str, Plain]]
    subject: Callable[[Message, Target], str]
    """What the call is about: calls about the same thing are handled one after the other; empty for no such thing."""


Methods = Mapping[str, Method]

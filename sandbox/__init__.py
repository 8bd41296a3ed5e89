"""Runs a script that nobody trusts."""

from sandbox.box import Sandbox
from sandbox.host import Ending, Host, Limits, Refusal, StepResult, Verify, VerifyReply
from sandbox.operations import CallError, Surface
from sandbox.server import ForkServer, SandboxBroken
from sandbox.walls import ALL_WALLS, Wall, parse_walls

__all__ = [
    "ALL_WALLS",
    "CallError",
    "Ending",
    "ForkServer",
    "Host",
    "Limits",
    "Refusal",
    "Sandbox",
    "SandboxBroken",
    "StepResult",
    "Surface",
    "Verify",
    "VerifyReply",
    "Wall",
    "parse_walls",
]

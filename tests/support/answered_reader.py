"""Judges by rules that read, with an environment at hand that answers every call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from agent.evidence import Environment
from gates.reading import Reader, Unanswered, Unread
from sandbox.interface import CallError

T = TypeVar("T")


def answered(environment: Environment, judge: Callable[[Reader], T]) -> T:
    """Return what `judge` finds, called again until it has read what it asks for."""
    answers: dict[str, object] = {}
    while True:
        try:
            return judge(Reader(answers))
        except Unanswered as asked:
            for call in asked.calls:
                try:
                    answers[call.key] = environment.call(call.operation, call.arguments)
                except CallError as error:
                    answers[call.key] = Unread(error.message, error.code)

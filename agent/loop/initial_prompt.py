"""Turn one: the system prompt derived from what the environment declares, and what its opening calls show."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from agent.events.call_records import SaidMessage
from agent.evidence.environment import Environment
from agent.evidence.recorder import Recorder
from agent.loop.prompt_texts import filled
from agent.opening.opening_sections import OpeningSections
from agent.opening.section_queue import AT_A_TIME, SectionQueue
from sandbox.interface import Operation, Surface, signature

MODULES: Final = (
    "json re math datetime time zoneinfo calendar decimal fractions statistics collections itertools functools "
    "operator string textwrap csv io random heapq bisect dataclasses enum typing contextlib copy hashlib base64 "
    "urllib.parse html unicodedata uuid pprint difflib"
)


@dataclass(frozen=True, slots=True)
class InitialPromptLimits:
    """How much turn one may show. What is cut does not count as read."""

    section_chars: int = 12_000
    """Characters of one document or listing."""
    total_chars: int = 120_000
    """Characters of all of them."""


@dataclass(slots=True)
class InitialPrompt:
    """What turn one holds, as pieces whose concatenation is the message."""

    system: str
    pieces: list[str] = field(default_factory=list)
    exchange: list[SaidMessage] = field(default_factory=list)
    """What stands between the two messages."""
    rules: str = ""


def build_initial_prompt(
    instruction: str, recorder: Recorder, limits: InitialPromptLimits, readers: Executor
) -> InitialPrompt:
    """Make the opening calls and return what turn one shows of them. A call that fails shows its failure.

    Where no room is left, calls are not made but named; the rules are read in any case, because the gates need them.
    `readers` makes the calls that only read, if the environment says that they may be made side by side.
    """
    queue = shown_opening(instruction, recorder, limits, readers)
    # The instruction comes last: what is the same for many trials stands before it.
    pieces = [*queue.pieces, filled("turn_one", instruction=instruction)]
    return InitialPrompt(system_prompt(recorder.surface), pieces, rules=queue.known.rules)


def shown_opening(instruction: str, recorder: Recorder, limits: InitialPromptLimits, readers: Executor) -> SectionQueue:
    """Make the opening calls, as `build_initial_prompt` does, and return the sections that show them."""
    queue = SectionQueue(
        recorder,
        instruction,
        section_chars=limits.section_chars,
        total_chars=limits.total_chars,
        executor=readers if recorder.surface.reads_side_by_side else None,
    )
    try:
        OpeningSections(queue).add_all()
    finally:
        queue.await_calls()
    return queue


def preview_turn_one(instruction: str, environment: Environment, limits: InitialPromptLimits) -> InitialPrompt:
    """Return what turn one of a trial would show, without a record of its calls."""
    recorder = Recorder("preview", environment, lambda event: None)
    recorder.begin_step(0)
    with ThreadPoolExecutor(AT_A_TIME) as readers:
        return build_initial_prompt(instruction, recorder, limits, readers)


def system_prompt(surface: Surface) -> str:
    """Return the system prompt for an environment: the same for every trial of one declaration."""
    return filled(
        "system",
        modules=MODULES,
        harness="\n".join(_reference(each) for each in surface.operations),
        executables="\n".join(
            f"- `{each.path}`{': ' + each.summary if each.summary else ''} ({each.kind})"
            for each in surface.executables
        )
        or "(none declared)",
    )


def _reference(operation: Operation) -> str:
    fields = " ".join(
        f".{each.name}" + (f" (of {' '.join('.' + item for item in each.items)})" if each.items else "")
        for each in operation.fields
    )
    parsed = " .json()" if operation.json_field else ""
    return f"- `{signature(operation)}` -> {(fields + parsed).strip() or 'nothing'}: {operation.summary}"

"""Shows those of many texts that fit the instruction, and names the others."""

from __future__ import annotations

from typing import Final

from agent.evidence.recorder import CallUnderWay
from agent.opening.fitting_texts import fitting
from agent.opening.section import Room, Section, result_text, title_of
from agent.opening.section_queue import SectionQueue
from sandbox.interface import Operation, Plain

MOST_COMPARED: Final = 100
"""Texts of which those that fit the instruction are chosen."""


def add_fitting(queue: SectionQueue, operation: Operation, given: list[dict[str, Plain]], chars: int) -> None:
    """Make the calls, and show the texts that fit the instruction, together at most `chars`; the others are named."""
    queue.show_until(0)
    chars = min(chars, queue.left)
    titles = [title_of(operation, each) for each in given]
    if chars <= 0:
        queue.left_out += titles
        return
    queue.left_out += titles[MOST_COMPARED:]
    calls = _sent(queue, operation, given[:MOST_COMPARED])
    results = [queue.recorder.outcome(call).result for call in calls]
    texts = ["" if each is None else result_text(operation, each) for each in results]
    names = [str(each.get(operation.subject)) for each in given]
    chosen = fitting(
        queue.known.instruction,
        dict(zip(names, texts, strict=False)),
        chars,
        folders=_kinds_named(queue),
        rules=queue.known.rules,
    )
    unfit = []
    for number, call in enumerate(calls):
        if results[number] is None or names[number] in chosen:
            queue.add(Section(operation, titles[number], call, room=Room(chars), chars=chars))
            queue.show_first()
        else:
            queue.recorder.receive(call, shown_chars=0)
            unfit.append(f"{names[number]} ({_heading(texts[number])})")
    if unfit:
        queue.say(f"(Not shown, to be read where it matters: {', '.join(unfit)}.)\n\n")


def _sent(queue: SectionQueue, operation: Operation, given: list[dict[str, Plain]]) -> list[CallUnderWay]:
    """Begin the calls, so many at a time as may be."""
    calls: list[CallUnderWay] = []
    for arguments in given:
        if len(calls) >= queue.at_a_time:
            queue.recorder.outcome(calls[-queue.at_a_time])
        calls.append(queue.send(operation.name, arguments))
    return calls


def _kinds_named(queue: SectionQueue) -> list[str]:
    """Return the folders of the kinds of which the instruction names a file."""
    named = queue.recorder.surface.named_files
    if named is None:
        return []
    index, instruction = queue.known.index(named.roots), queue.known.instruction
    return index.kinds_of([*index.named_in(instruction), *index.meant_in(instruction)])


def _heading(text: str) -> str:
    return text.strip().partition("\n")[0].strip("# ")[:60]

"""Says why a reply is unusable, to the model and in the journal.

The model is told what to do, so that its next reply is better: `The reply was empty. Reply with one
JSON object {state, plan, done, code} alone, ...`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import re2

from controlplane.agent.reply.objects import objects_in
from controlplane.sandbox.interface import bounds, well_formed

# The faults of a reply that has no action: no script to run.
#
# A reply that was cut off has the fault `CUT_OFF`. The journal states it as `cut_off`, and the
# model reads "The reply was cut off at the output limit".


class Fault(StrEnum):
    """The reason why a reply is unusable, as the journal states it (see `FAULT_TEXTS`)."""

    CUT_OFF = "cut_off"
    FILTERED = "filtered"
    REFUSED = "refused"
    EMPTY = "empty"
    ONLY_THOUGHTS = "only_thoughts"
    WRONG_TOOL = "wrong_tool"
    NO_OBJECT = "no_object"
    GARBLED = "garbled"
    WRONG_SHAPE = "wrong_shape"
    NO_CALL = "no_call"


PROSE: Final = (Fault.NO_OBJECT, Fault.NO_CALL)
"""The faults of a reply in prose, to a solver that asks for JSON, or for tool calls."""

FAULT_TEXTS: Final[Mapping[str, str]] = {
    Fault.CUT_OFF: "was cut off at the output limit",
    Fault.FILTERED: "was withheld by the endpoint's filter",
    Fault.REFUSED: "was a refusal",
    Fault.EMPTY: "was empty",
    Fault.ONLY_THOUGHTS: "held thinking alone",
    Fault.WRONG_TOOL: "called a tool that is not there",
    Fault.NO_OBJECT: "held no JSON object",
    Fault.GARBLED: "held JSON that cannot be read",
    Fault.WRONG_SHAPE: "held an object without code, a string with the Python to run",
    Fault.NO_CALL: "called no tool",
}
"""What each fault means, as the end of a sentence that begins with "The reply"."""


# The marks between which models put their thinking: `<think>Hm.</think>Yes`.
#
# In OpenAI's harmony format, a reply consists of messages in channels. Only the message in the
# channel `final` is the answer:
#
#     <|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes

_WORD: Final = r"(?:\w+[:_])?(?:think|thinking|thoughts?|reasoning|reflection|analysis)"
"""Matches the name of a tag for thinking, as in `<think>` or `<model:thought>`."""

_OPENING_MARKS: Final = (
    rf"<{_WORD}>",
    r"\[THINK\]",  # Mistral
    r"◁think▷",  # Kimi
    r"<\|begin_of_thought\|>",  # Sky-T1
    r"<\|channel>thought",  # Gemma 4
    r"<\|channel\|>\s*analysis\s*<\|message\|>",  # OpenAI's harmony format
)
_CLOSING_MARKS: Final = (
    rf"</{_WORD}>",
    r"\[/THINK\]",  # Mistral
    r"◁/think▷",  # Kimi
    r"<\|end_of_thought\|>",  # Sky-T1
    r"<channel\|>",  # Gemma 4
    r"<\|channel\|>\s*final\s*<\|message\|>",  # OpenAI's harmony format: the answer begins
)
_MESSAGE_MARKS: Final = r"<\|end\|>|<\|start\|>|<\|channel\|>"
"""Marks between two messages of OpenAI's harmony format. Models leave out some of them."""

_MARK: Final = re2.compile(
    "(?i)"
    rf"(?P<opening>{'|'.join(_OPENING_MARKS)})"
    rf"|(?P<closing>{'|'.join(_CLOSING_MARKS)})"
    rf"|(?P<next_message>{_MESSAGE_MARKS})"
)
"""Matches a mark: one that opens or closes thinking, or one between two messages. Thinking
that has begun ends with its message, too. Elsewhere, a mark between messages is only text."""

_UNMARKED_THOUGHTS: Final = (
    ("analysis", "assistantfinal"),  # the harmony format without its marks
    ("Here is my thought process:", "Here is my response:"),  # Granite
    ("Here's my thought process:", "Here's my response:"),
)
"""Pairs of words. A reply that begins with the first words has thinking up to the second."""


# Removes the thinking from replies: `<think>Hm.</think>Yes` -> `Yes`.
#
# A script in the thinking is only an idea, so it must not be run. A mark of thinking in a script is
# text, so it must stay.


def without_thoughts(text: str) -> str:
    """Return a reply without the thinking that models put between marks in it.

    | reply | without thinking |
    |---|---|
    | `Well: <think>Hm.</think>Yes` | `Well: Yes` |
    | `Hm.</think>Yes` | `Yes`: some servers cut off the opening mark |
    | `Yes<think>Hm.` | `Yes` |
    | `{"code": "'</think>'"}` | the same: the mark is in an object |
    """
    text = well_formed(text)
    for first_words, last_words in _UNMARKED_THOUGHTS:
        if text.lstrip().startswith(first_words) and last_words in text:
            text = text.partition(last_words)[2]
    if _MARK.search(text) is None:
        return text

    objects = list(objects_in(text[: bounds.MOST_PARSED_CHARS]))
    answer = ""
    start = 0  # The text from here on is not in `answer` yet.
    is_thinking = False
    for mark in _MARK.finditer(text):
        if is_thinking:
            # A second opening mark changes nothing. Any other mark ends the thinking.
            if not mark["opening"]:
                is_thinking = False
                start = mark.end()
            continue

        # An object that begins before the end of the last thinking is not one of the answer.
        position = mark.start()
        if any(found.start >= start and found.covers(position) for found in objects):
            continue
        if mark["opening"]:
            answer += text[start:position]
            is_thinking = True
        elif mark["closing"]:
            # Its opening mark was cut off, so all of the text before it was thinking.
            answer = ""
            start = mark.end()
        # A mark of a third kind, such as `<|end|>`, stays in the answer.
    if is_thinking:
        return answer  # The thinking goes on to the end of the text.
    return answer + text[start:]


# The forms in which a model is told to reply
_JSON_FORM: Final = (
    "Reply with one JSON object {state, plan, done, code} alone, quotes and newlines in its "
    "strings escaped"
)
FENCED_FORM: Final = (
    'a line "state: ..." and then the whole script in one ```python fence'
)


@dataclass(frozen=True, slots=True)
class Unusable:
    """A reply without an action.

    `Unusable(Fault.WRONG_TOOL, ", 'search'")` has the reason `The reply called a tool that is
    not there, 'search'. Reply with one JSON object ...`.
    """

    fault: Fault
    details: str = ""
    """What follows the text of the fault in the reason."""

    @property
    def reason(self) -> str:
        """What a model that was asked for JSON reads: what is wrong, and how to reply."""
        form = _JSON_FORM
        if self.fault is Fault.GARBLED:
            form += f"; or with {FENCED_FORM}"
        return f"The reply {FAULT_TEXTS[self.fault]}{self.details}. {form}."

    @property
    def reason_in_fences(self) -> str:
        """What a model that was asked for scripts in fences reads."""
        fault_text = FAULT_TEXTS[self.fault]
        if self.fault is Fault.NO_OBJECT:
            fault_text = "held no script in a fence"
        return f"The reply {fault_text}{self.details}. Reply with {FENCED_FORM}."

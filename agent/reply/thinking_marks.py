"""The marks between which models put their thinking: `<think>Hm.</think>Yes`.

In OpenAI's harmony format, a reply consists of messages in channels. Only the message in the
channel `final` is the answer:

    <|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes
"""

from __future__ import annotations

from typing import Final

import re2

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

MARK: Final = re2.compile(
    "(?i)"
    rf"(?P<opening>{'|'.join(_OPENING_MARKS)})"
    rf"|(?P<closing>{'|'.join(_CLOSING_MARKS)})"
    rf"|(?P<next_message>{_MESSAGE_MARKS})"
)
"""Matches a mark: one that opens or closes thinking, or one between two messages. Thinking
that has begun ends with its message, too. Elsewhere, a mark between messages is only text."""

UNMARKED_THOUGHTS: Final = (
    ("analysis", "assistantfinal"),  # the harmony format without its marks
    ("Here is my thought process:", "Here is my response:"),  # Granite
    ("Here's my thought process:", "Here's my response:"),
)
"""Pairs of words. A reply that begins with the first words has thinking up to the second."""

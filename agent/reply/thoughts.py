"""Cuts a model's thinking out of its reply, where a server leaves the tags of a template in the text."""

from __future__ import annotations

import re
from typing import Final

from agent.reply.object_finder import LONGEST, objects_in

_NAMES: Final = r"think|thinking|thoughts?|reasoning|reflection|seed:think"
_OPENING: Final = rf"<(?:{_NAMES})>|\[THINK\]|◁think▷|<\|channel\|>\s*analysis\s*<\|message\|>"
_CLOSING: Final = rf"</(?:{_NAMES})>|\[/THINK\]|◁/think▷|<\|end\|>"
_TAG: Final = re.compile(rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})", re.I)
_ENDS_A_THOUGHT: Final = re.compile(rf"{_CLOSING}|(?=<\|start\|>|<\|channel\|>)", re.I)


def without_thoughts(text: str) -> str:
    """Return what is said in `text`: what stands between tags of thinking, or before a closing tag alone, is not.

    A tag inside of an object is text of it. Thinking that does not end hides all that follows.
    """
    if _TAG.search(text) is None:
        return text
    objects = [(each.start, each.end) for each in objects_in(text[:LONGEST]) if each.end is not None]
    said, said_from, position = list[str](), 0, 0
    while (tag := _TAG.search(text, position)) is not None:
        around = next((end for start, end in objects if start >= said_from and start < tag.start() < end), None)
        if around is not None:
            position = around
            continue
        if tag["closing"]:
            said.clear()
            said_from = position = tag.end()
            continue
        said.append(text[said_from : tag.start()])
        closing = _ENDS_A_THOUGHT.search(text, tag.end())
        said_from = position = closing.end() if closing else len(text)
    return "".join(said) + text[said_from:]

"""Counts the characters of each part of a trial's first request, as a table or JSON, for one or many trials."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from agent.opening import Part, parts_of_system, parts_of_turn_one
from controlplane.view.display_text import one_line


@dataclass(frozen=True, slots=True)
class FirstRequest:
    """The first request of one trial."""

    trial: str
    """The trial's id, or its task's."""
    system: str
    pieces: tuple[str, ...]
    """The pieces of turn one, the first message."""
    hints: str = ""
    """The text that the owner appended to the system prompt."""

    @property
    def turn_one_chars(self) -> int:
        return sum(map(len, self.pieces))

    @property
    def chars(self) -> int:
        return len(self.system) + self.turn_one_chars

    @property
    def parts(self) -> list[tuple[str, Part]]:
        return [
            *(("system prompt", part) for part in parts_of_system(self.system, self.hints)),
            *(("turn one", part) for part in parts_of_turn_one(self.pieces)),
        ]


def print_requests(requests: Sequence[FirstRequest], *, one: bool, as_json: bool) -> None:
    """Print the sizes of first requests; for `one`, the size of each part."""
    if as_json:
        objects = [
            {
                "trial": request.trial,
                "chars": request.chars,
                "system_chars": len(request.system),
                "turn_one_chars": request.turn_one_chars,
                "parts": [
                    {
                        "message": message,
                        "part": part.title,
                        "chars": part.chars,
                        "share": round(part.chars / request.chars, 4),
                        "cut_chars": part.cut_chars,
                    }
                    for message, part in request.parts
                ],
            }
            for request in requests
        ]
        print(json.dumps(objects[0] if one else objects))
    elif one:
        request = requests[0]
        print(
            f"{one_line(request.trial)}: the first request has {request.chars} characters, "
            f"{len(request.system)} of the system prompt and {request.turn_one_chars} of turn one"
        )
        print(f"{'chars':>7}  {'share':>6}  {'shown':<16}  {'message':<13}  part")
        for message, part in request.parts:
            shown, share = f"{part.cut_chars} cut" if part.cut_chars else "whole", part.chars / request.chars
            print(f"{part.chars:>7}  {share:>6.1%}  {shown:<16}  {message:<13}  {one_line(part.title)}")
    else:
        print(f"{'chars':>7}  {'system':>7}  {'turn one':>8}  trial")
        for request in sorted(requests, key=lambda request: -request.chars):
            chars = f"{request.chars:>7}  {len(request.system):>7}  {request.turn_one_chars:>8}"
            print(f"{chars}  {one_line(request.trial)}")
        sizes = [request.chars for request in requests]
        print(f"largest {max(sizes)}, median {median(sizes):.0f} characters of a first request")
        print("For the parts of one request, add `--trial ID`")

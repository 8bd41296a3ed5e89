"""Runs a few steps in the fork server before it forks, so that its children inherit the work of a first step.

That work (lookups cached on types, bytecode specialised, pages written) would otherwise cost each child a few
milliseconds and a few hundred pages of memory.
"""

from __future__ import annotations

import _socket
from contextlib import closing
from typing import Final

from sandbox.child.child_process import forget_step
from sandbox.child.child_step import StepRun
from sandbox.interface.file_operations import FILE_OPERATIONS
from sandbox.interface.limits import Limits
from sandbox.interface.walls import ALL_WALLS
from sandbox.library.module_facades import Modules
from sandbox.process.child_settings import Setting
from sandbox.process.frames import send_frame
from sandbox.process.output_channel import Channel

ROUNDS: Final = 3
_LIMIT: Final = 1 << 20
_SCRIPT: Final = """
import json, re
from datetime import datetime, date, timedelta
from collections import Counter, defaultdict
from dataclasses import dataclass
@dataclass
class Line:
    sku: str
    qty: int = 1
    def total(self, price):
        return self.qty * price
class Box:
    def __init__(self, *items, **named):
        self._items = list(items)
        self.count = 0
        for key, value in named.items():
            setattr(self, key, value)
    def add(self, item):
        self._items.append(item)
        self.count += 1
        return self
doc = harness.read("/docs/a.md")
record = doc.json()
words = Counter(re.findall(r"\\w+", doc.content.lower()))
lines = [Line(key, len(value)) for key, value in sorted({"a": "xy", "b": "z"}.items()) if value]
total = sum(each.total(1.5) for each in lines)
groups = defaultdict(list)
for each in lines:
    groups[each.qty].append(each.sku)
box = Box(1, 2, name="n").add(3)
try:
    record["missing"]
except KeyError as error:
    print(f"missing {error!r}", total, box.count, words.most_common(1), "{:>5}|{}".format("a", 1))
due = datetime(2026, 1, 1) + timedelta(days=14)
scratchpad["facts"] = {"total": total, "due": date(2026, 1, 15), "names": [each.sku for each in lines]}
scratchpad.cite("/docs/a.md", "because it holds the words")
scratchpad["answer"], scratchpad["outcome"] = f"{total:.2f}", "OUTCOME_OK"
def verify(sp):
    return sp["answer"] == f"{total:.2f}"
while scratchpad.get("left", 0) > 0:
    scratchpad["left"] -= 1
print(json.dumps({"a": [1, None, True], "due": due.isoformat()}), type(box).__name__, isinstance(box, Box))
raise ValueError("the end of the warm-up")
"""


def warm(modules: Modules) -> None:
    """Run the warm-up steps, answered from a buffer, and forget them."""
    setting = Setting(FILE_OPERATIONS, Limits(), 0, 0, ALL_WALLS)
    ours, theirs = _socket.socketpair()
    with closing(ours), closing(theirs):
        channel = Channel(theirs, setting.limits)
        for number in range(ROUNDS):
            send_frame(ours, ["step", number, _SCRIPT, {}], _LIMIT)
            send_frame(ours, ["ok", 1, {"path": "/docs/a.md", "content": '{"a": 1}', "truncated": False}], _LIMIT)
            send_frame(ours, ["ok", 2, "/docs/a.md"], _LIMIT)
            _, step, source, tagged = channel.next_step()
            StepRun(channel, setting, modules).run(step, source, tagged)
            forget_step()

"""What takes the room in a journal: the bytes of its lines, by type of event, and of their fields."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

MIN_FIELD_SHARE: Final = 0.01
"""Fields of the journal with a smaller share of all bytes are not printed."""


@dataclass
class JournalSize:
    """The bytes of a journal: of all lines, of those of each event type, and of each field.

    A field's name is such as "step.code", or "call.result of read" for the result of a call.
    """

    total: int = 0
    by_type: Counter[str] = field(default_factory=Counter)
    by_field: Counter[str] = field(default_factory=Counter)

    def add(self, line: bytes) -> None:
        """Count one line."""
        event = json.loads(line)
        event_type = str(event.get("type"))
        self.by_type[event_type] += len(line)
        self.total += len(line)
        for name, value in event.items():
            text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            title = f"{event_type}.{name}"
            if name == "result":
                # The event of a call that was announced before has no operation of its own.
                title += f" of {event.get('operation', 'an announced call')}"
            self.by_field[title] += len(text.encode())


def print_journal(journal: Path, trials: int) -> None:
    """Print the size of a journal, and what takes most room: event types, and their long fields."""
    size = JournalSize()
    for line in journal.read_bytes().splitlines(keepends=True):
        size.add(line)

    print(f"journal: {size.total / trials / 1000:.1f} kB a trial")
    for event_type, count in size.by_type.most_common():
        print_size(event_type, count, size.total, trials)
    print("its longest fields:")
    for title, count in size.by_field.most_common():
        if count >= MIN_FIELD_SHARE * size.total:
            print_size(title, count, size.total, trials)


def print_size(title: str, count: int, total: int, trials: int) -> None:
    """Print a row with the kilobytes a trial, and the share of the journal."""
    print(f"{title:<50}{count / trials / 1000:8.2f} kB  {count / total:6.1%}")

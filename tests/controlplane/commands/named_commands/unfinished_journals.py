"""How far a run in another process has come, by the journal that it writes.

    wait_until(lambda: has_event(folder, "trial_started"))

A journal has an event in each line, such as `{"type": "trial_started", "at_ms": 7, ...}`.
"""

from pathlib import Path


def has_event(folder: Path, event_type: str) -> bool:
    """Return whether a journal of the folder has an event of this type already."""
    for journal in folder.glob("runs/*.jsonl"):
        if f'"{event_type}"' in journal.read_text(encoding="utf-8"):
            return True
    return False

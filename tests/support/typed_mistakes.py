"""What tests about mistyped commands share."""

from pathlib import Path

KEY = "sk-canary-76543210fedcba98"


def nothing_began(folder: Path) -> bool:
    return not list(folder.rglob("2*.jsonl"))

"""Words changes for messages: "write of `/a.md`", or `["/a.md", "mail.send"]`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from controlplane.gates.quoting import quote
from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import bounds

SHOWN_CHANGES: Final = 4
SHOWN_NAME_CHARS: Final = 200


def change_names(changes: Sequence[Change]) -> str:
    """Return the first changes in words: "write of `/a.md`, delete of `/b.md` and 2 more"."""
    names = [
        f"{change.action} of {quote(change.path)}" for change in changes[:SHOWN_CHANGES]
    ]
    text = ", ".join(names)
    if len(changes) > SHOWN_CHANGES:
        text += f" and {len(changes) - SHOWN_CHANGES} more"
    return text


def change_entries(changes: Sequence[Change]) -> str:
    """Return changes as a script would declare them: `["/a.md", "mail.send"]`."""
    names = list(dict.fromkeys(change.path[:SHOWN_NAME_CHARS] for change in changes))
    # An invisible character is shown as an escape: `\u200b`. `json` can then only escape all
    # characters beyond ASCII, also the visible ones.
    has_invisible_characters = not all(name.isprintable() for name in names)
    text = json.dumps(
        names[: bounds.SHOWN_NAMES], ensure_ascii=has_invisible_characters
    )
    if len(names) > bounds.SHOWN_NAMES:
        text += f" and {len(names) - bounds.SHOWN_NAMES} more"
    return text

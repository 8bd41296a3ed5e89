"""Right frames, one of each kind, that a worker sends to its parent.

A worker is a process that runs functions for its parent: `{"kind": "result", "value": {"content": "x"}}`.
"""

from typing import Any

WORKER_FRAMES: list[dict[str, Any]] = [
    {"kind": "result", "value": {"content": "x"}},
    {
        "kind": "error",
        "code": "not_found",
        "message": "there is none",
        "process_must_end": False,
    },
    {"kind": "question", "arguments": ["/a.md", "/b.md"]},
]
"""The ends of a call, by a result and by an error, and a question that is asked during one."""

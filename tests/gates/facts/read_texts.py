"""Evidence of texts that were read, and of tools that ran."""

from __future__ import annotations

import json
from collections.abc import Mapping

from gates.types import Change, Evidence, Execution, SeenText, Touch, spelling_key


def evidence_with(
    read: Mapping[str, object] | None = None,
    *,
    ran: tuple[Execution, ...] = (),
    printed: Mapping[str, str] | None = None,
    changes: tuple[Change, ...] = (),
    listed: tuple[str, ...] = (),
) -> Evidence:
    """Return a trace: what was read (an object is a JSON record, a list several states of one), which tools ran, what
    they printed, which changes were made, and which further paths were listed."""
    touches = {}
    for path, content in (read or {}).items():
        states = content if isinstance(content, list) else [content]
        texts = [each if isinstance(each, str) else json.dumps(each) for each in states]
        touches[path] = Touch(path, frozenset({"read"}), tuple(map(SeenText, texts)))
    arguments = {each.path for each in ran if each.arguments}
    for path, text in (printed or {}).items():
        touches[path] = Touch(path, frozenset({"execute"}), (SeenText(text, is_proof=path not in arguments),))
    paths = {spelling_key(path): (path,) for path in (*touches, *listed)}
    return Evidence(has_trace=True, touches=touches, paths_by_spelling=paths, changes=changes, executions=ran)


def ran(path: str, *arguments: str, kind: str = "reads", exit_code: int = 0) -> Execution:
    """Return a run of a tool."""
    return Execution(path, arguments, kind, exit_code)

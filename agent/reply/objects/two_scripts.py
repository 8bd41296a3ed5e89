"""Refuses an object that seems to be two actions in one.

An action has one script, in a field `code` or `script`. With two scripts and a repeated key, it
is unknown which script the model meant:

| object | |
|---|---|
| `{"code": "1", "code": "2"}` | refused |
| `{"state": "a", "code": "1", "state": "b", "script": "2"}` | refused |
| `{"code": "1", "script": "2"}` | accepted |
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.reply.action_fields import CODE_NAMES


def refuse_two_scripts(names: Sequence[str]) -> None:
    """Raise `ValueError` if an object with these keys seems to be two actions in one."""
    script_fields = [name for name in names if name in CODE_NAMES]
    has_repeated_name = len(set(names)) < len(names)
    if len(script_fields) > 1 and has_repeated_name:
        msg = "it has two scripts"
        raise ValueError(msg)

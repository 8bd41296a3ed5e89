"""Makes an object of its fields, unless it seems to be two actions in one.

An action has one script, in a field `code` or `script`. With two scripts and a repeated name, it
is unknown which script the model meant:

| fields as the model wrote them | |
|---|---|
| `{"code": "1", "code": "2"}` | refused |
| `{"state": "a", "code": "1", "state": "b", "script": "2"}` | refused |
| `{"code": "1", "script": "2"}` | accepted |
"""

from __future__ import annotations

from controlplane.agent.reply.action_fields import CODE_NAMES


def object_of(fields: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of fields: `[("code", "1")]` -> `{"code": "1"}`.

    Raises `ValueError` if it seems to be two actions in one. The object itself would not show
    that, because it has only the last field of a name.
    """
    names = [name for name, _ in fields]
    script_names = [name for name in names if name in CODE_NAMES]
    has_repeated_name = len(set(names)) < len(names)
    if len(script_names) > 1 and has_repeated_name:
        msg = "it has two scripts"
        raise ValueError(msg)
    return dict(fields)

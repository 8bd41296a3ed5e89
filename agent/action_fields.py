"""The names under which models write the fields of an action.

An action is the object that a script solver asks for: `{state, plan, done, code}`.
"""

from __future__ import annotations

from typing import Final

STATE_NAMES: Final = ("state", "current_state")
PLAN_NAMES: Final = ("plan", "plan_remaining_steps_brief")
DONE_NAMES: Final = ("done", "task_completed")
CODE_NAMES: Final = ("code", "python_code", "script", "python")
"""The accepted names of each field. The first is the one that is asked for."""

OTHER_NAMES: Final = frozenset({*STATE_NAMES, *PLAN_NAMES, *DONE_NAMES})
"""The names of the fields other than the code."""

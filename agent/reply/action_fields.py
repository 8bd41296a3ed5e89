"""The accepted names of the fields of an action.

An action is the object `{state, plan, done, code}` that the script solver asks models for.
Only the code is run. The other fields are remarks, which are recorded.
"""

from __future__ import annotations

from typing import Final

STATE_NAMES: Final = ("state", "current_state")
PLAN_NAMES: Final = ("plan", "plan_remaining_steps_brief")
DONE_NAMES: Final = ("done", "task_completed")
CODE_NAMES: Final = ("code", "python_code", "script", "python")
"""These tuples have the accepted names of each field. The prompt asks for the first one."""

REMARK_NAMES: Final = frozenset({*STATE_NAMES, *PLAN_NAMES, *DONE_NAMES})
"""The names of the remarks: of all fields except the code."""

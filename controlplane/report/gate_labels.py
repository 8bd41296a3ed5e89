"""Names gates and rules so that a gate's number never stands without its name."""

from __future__ import annotations

from agent.events import VerdictRecord
from controlplane.view.display_text import one_line


def gate_label(verdict: VerdictRecord) -> str:
    """Return `gate 4: citations were read` for a gate or one of its rules, `rule ecom/policy` for a rule of a pack."""
    name = one_line(verdict.name)
    return f"gate {verdict.gate}: {name}" if verdict.gate else f"rule {name}"

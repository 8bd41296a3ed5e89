"""Names of earlier versions, which settings and journals may still have, and the names that replace them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

SETTINGS: Final = {"walls": "isolation", "rules": "rule_sets", "opening_chars": "initial_prompt_chars"}
RETIRED_RULE_SETS: Final = frozenset({"ask"})
"""Rule sets of earlier versions, which have no rule any more."""
RETIRED_RULES: Final = frozenset(
    {
        *("6/posed-instruction", "6/unmade-change", "6/found-value", "6/printed-value", "6/crossed-values"),
        *("6/unheeded-sentence", "6/cut-list", "ecom/empty-question", "ecom/finding", "ecom/policy"),
        *("ecom/claimed-right", "ask", "ask/claims"),
    }
)
"""Keys of rules and rule sets of earlier versions, which journals and settings may still name."""
RENAMED_RULES: Final = {"ecom/guard": "ecom/pre-call-check"}
"""Names of rules in earlier versions, with those that replace them."""
_FIELDS: Final = {
    "run_opened": {"packs": "rule_sets"},
    "trial_started": {"surface": "tool_schema"},
    "conversation_opened": {"turn_one": "first_message"},
    "call_guarded": {"finding": "objection"},
}
"""Fields of events, by the type that an event has in the journal."""
_SCHEMA_FIELDS: Final = {"opening": "initial_calls", "guard": "pre_call_check"}
_RESULTS: Final = {"protest": "overridden"}


def with_present_names(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an event under their present names; an older journal is read like one of today."""
    kind = fields.get("type")
    match kind:
        case "run_opened" | "run_resumed":
            for name in ("settings", "model_settings"):
                _rename(fields.get(name), "name", SETTINGS)
        case "run_prompts":
            _rename(fields.get("texts"), "name", {"turn_one": "first_message", "review": "check_draft"})
        case "submission_judged" if isinstance(judged := fields.get("judged"), dict):
            _rename(judged.get("verdicts"), "result", _RESULTS)
            _rename(judged.get("verdicts"), "name", RENAMED_RULES)
            if "handed_in" in judged:
                judged["submitted_parts"] = judged.pop("handed_in")
        case "call_guarded":
            fields = fields | {"type": "call_stopped"}
    names = _FIELDS.get(kind, {}) if isinstance(kind, str) else {}
    return {names.get(name, name): value for name, value in fields.items()}


def schema_with_present_names(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a recorded tool schema under their present names, and its functions at their places."""
    for declared in (*fields["operations"], *fields.get("checks", ())):
        if isinstance(declared, dict) and isinstance(declared.get("finds"), str):
            declared["finds"] = (
                declared["finds"]
                .replace("_findings:", "_functions:")
                .replace("call_guard:guard", "pre_call_check:pre_call_check")
            )
    return {_SCHEMA_FIELDS.get(name, name): value for name, value in fields.items()}


def _rename(records: object, field: str, names: Mapping[str, str]) -> None:
    for record in records if isinstance(records, Iterable) else ():
        if isinstance(record, dict) and isinstance(name := record.get(field), str):
            record[field] = names.get(name, name)

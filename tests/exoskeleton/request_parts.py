"""Cases about what requests ask, and about receipts."""

from tests.exoskeleton.case_world import asker_of, records_of
from toolkit.answers import answer_form
from toolkit.dispatch import wave_path
from toolkit.requests import (
    Intent,
    SecurityCase,
    files_to_delete,
    filled_template,
    is_override,
    may_change_files,
    posed_block,
    security_refusal,
)


def security_decision(given: dict) -> dict:
    case = SecurityCase(
        given.get("text", ""), Intent(**given["flags"]), asker_of(given), records_of(given), given.get("policy", "")
    )
    found = security_refusal(case)
    if found is None:
        return {"denied": False}
    return {
        "denied": True,
        "reason": found.reason,
        "documents": list(found.subjects),
        "records": list(found.records),
        "protected": found.is_protected,
    }


def temporary_files(given: dict) -> dict:
    paths = list(records_of(given).all_paths)
    found = files_to_delete(Intent(**given["flags"]), paths)
    if found is None:
        return {"applies": False}
    return {"applies": True, "deleted": found, "left": sorted(set(paths) - set(found))}


PARTS = {
    "wave_path": lambda given: {"path": wave_path(given["text"])},
    "filled_template": lambda given: {"text": filled_template(given["template"], given["number"])},
    "format_contract": lambda given: {
        "message": answer_form(given["outcome"], given["message"], given["text"], given["rules"])
    },
    "override_marker": lambda given: {"marker": posed_block(given["text"]) is not None},
    "override_flag": lambda given: {
        "override": is_override(given["text"], Intent(**given["flags"]), given.get("policy", ""))
    },
    "security_decision": security_decision,
    "write_guard": lambda given: {"allowed": may_change_files(given["text"], is_classified=given["flag"])},
    "temporary_files": temporary_files,
}

"""Cases about answers: function results, references, messages, and what is opened and shown."""

from typing import Any

from agent.exoskeleton import Completion
from benchmarks.shop.answers import (
    Answer,
    Entry,
    apply_results,
    bucket_of,
    final_references,
    formatted_message,
    needs_review,
    policy_documents,
    record_kind,
    retry_time,
    reviewed,
    with_cap,
    with_retry_time,
)
from benchmarks.shop.workspace import possible_tools
from controlplane.report.run_pages import heat_cell
from gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.exoskeleton.record_parts import asker_of, records_of

OUTCOMES = {"OK": OK, "DENIED": DENIED, "CLARIFY": CLARIFICATION, "UNSUPPORTED": UNSUPPORTED}
SHORT = {outcome: short for short, outcome in OUTCOMES.items()}
KINDS = {"products": "product", "stores": "branch", "baskets": "basket"}


def entries_of(given: dict) -> list[Entry]:
    return [
        Entry(finding["bucket"], tuple(finding["refs"]), finding.get("message", "")) for finding in given["findings"]
    ]


def answer_of(given: dict) -> Answer:
    return Answer(
        OUTCOMES.get(given.get("outcome", "OK"), ""),
        given.get("message", ""),
        given.get("task_type", "other"),
        tuple(given.get("documents", ())),
        tuple(given.get("records", ())),
        given.get("protected", False),
        given.get("text", ""),
        given.get("rules", ""),
    )


def store_apply(given: dict) -> dict:
    found = apply_results(entries_of(given), answer_of(given))
    return {"message": found.message, "documents": list(found.documents), "records": list(found.records)}


def references(given: dict) -> dict:
    layout = {folder: KINDS.get(name, name) for name, folder in given.get("layout", {}).items()}

    def kind_of(path: str) -> str:
        return next((kind for folder, kind in layout.items() if path.startswith(f"{folder}/")), record_kind(path))

    return {"refs": final_references(answer_of(given), records_of(given), asker_of(given), kind_of)}


def message_guard(given: dict) -> dict:
    asked = []

    def ask() -> str:
        asked.append(True)
        if given.get("formatter_fails"):
            raise OSError
        return given.get("formatter_says", "")

    message = formatted_message(OUTCOMES.get(given["outcome"], ""), given["message"], given.get("rules", ""), ask)
    return {"message": message, "model_asked": bool(asked)}


def told(given: dict, outcome: str, message: str) -> dict:
    return {"message_changes": message != given["message"], "message": message, "outcome": outcome}


def completion_of(given: dict, **more: str) -> Completion:
    outcome = OUTCOMES.get(given["outcome"], given["outcome"])
    return Completion(outcome=outcome, message=given["message"], **more)


def told_of(given: dict, answer: Completion) -> dict:
    return told(given, SHORT.get(answer.outcome, answer.outcome), answer.message)


def recovery_outcome(given: dict) -> dict:
    files = given.get("files", {})
    ids = [path.rpartition("/")[2].partition(".")[0] for path in given.get("records", ())]
    untils = [retry_time(ids, files.get(path, "")) for path in given.get("documents", ())]
    found = reviewed(completion_of(given), given.get("review", {}), until=next(filter(None, untils), ""))
    return told_of(given, found)


def recovery_review(given: dict) -> dict:
    asked = needs_review(given["task_type"], OUTCOMES.get(given["outcome"], ""))
    says = given.get("reviewer_says", {}) if asked else {}
    return {
        "asked": asked,
        "paid": bool(says.get("paid")),
        "blocked": bool(says.get("blocked")),
        "until": says.get("until", ""),
        "message": (says.get("message") or "").strip() or given["message"],
    }


def discount_cap(given: dict) -> dict:
    return told_of(given, with_cap(completion_of(given, notes="\n".join(given.get("steps", [])))))


PARTS = {
    "ledger_merge": lambda given: {"refs": list(bucket_of(entries_of(given), given["ask"]).refs)},
    "store_apply": store_apply,
    "references": references,
    "policy_documents": lambda given: {
        "documents": policy_documents(given["read"], given["task_type"], given.get("rules", ""))
    },
    "message_guard": message_guard,
    "retry_time": lambda given: {
        "until": retry_time(given["payments"], given.get("document", ""), given.get("record"))
    },
    "retry_message": lambda given: told(given, "", with_retry_time(given["message"], given["until"])),
    "recovery_outcome": recovery_outcome,
    "recovery_review": recovery_review,
    "discount_cap": discount_cap,
}


def heat(given: dict[str, Any]) -> dict[str, Any]:
    cell = heat_cell(given["score"])
    return {"text": cell.text, "background": cell.background}


def files_of(node: dict[str, Any], path: str) -> list[str]:
    children = node.get("children", [])
    if not children and not node.get("is_dir"):
        return [path]
    return [file for child in children for file in files_of(child, f"{path.rstrip('/')}/{child['name']}")]


def followups(given: dict[str, Any]) -> dict[str, Any]:
    files = files_of(given["tree"] | {"is_dir": True}, given["root"])
    reads = [path for path in files if path.endswith(".md") and path not in given.get("read", ())]
    tools = [path for path in files if path in given.get("tools", possible_tools(files))]
    helps = [path for path in tools if path not in given.get("helped", ())]
    return {"calls": [*(f"read {path}" for path in reads), *(f"help {path}" for path in helps)]}


PARTS |= {"followups": followups, "heat_cell": heat}

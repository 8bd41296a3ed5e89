"""Runs the tools of a hostile case, and returns how they failed.

failures_of(shop, tool("jq", "(((", "/tmp/n", files={"/tmp/n": "{}"}))
# [ToolFailure("jq", "jq: cannot read the filter", is_clear=True)]
"""

from typing import NamedTuple

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.sandbox.interface import CallError, Plain, error_codes
from tests.benchmarks.ecom.hostile.harmless_calls import harmless_results
from tests.benchmarks.ecom.hostile.hostile_cases import Case


class ToolFailure(NamedTuple):
    """How a tool has failed."""

    tool: str
    text: str
    """What it has printed, or why it was stopped."""
    is_clear: bool
    """True if it says in one line why, or was stopped at a limit without a change."""


def unclear_failures(shop: EcomEnvironment, case: Case) -> list[str]:
    """Return what a tool has printed that is not one clear line, and which later calls it changed.

    `["Traceback (most recent call last): ...", "later calls differ"]`
    """
    results_before = harmless_results(shop)
    texts = [
        failure.text for failure in failures_of(shop, case) if not failure.is_clear
    ]
    if harmless_results(shop) != results_before:
        texts.append("later calls differ")
    return texts


def failures_of(shop: EcomEnvironment, case: Case) -> list[ToolFailure]:
    """Write the files of a case, run its tools, and return the failures, in order."""
    for path, text in case.files.items():
        shop.call("write", {"path": path, "content": text})
    changes_before = dict(shop.changes)

    failures = []
    for tool, *arguments in case.commands:
        call: dict[str, Plain] = {"path": f"/bin/{tool}", "args": arguments}
        try:
            result = shop.call("exec", call)
        except CallError as error:
            is_at_limit = error.code == error_codes.RESOURCE_EXHAUSTED
            is_unchanged = shop.changes == changes_before
            is_clear = case.may_overrun and is_at_limit and is_unchanged
            failures.append(ToolFailure(tool, error.message, is_clear))
            continue
        if result["exit_code"] != 0:
            line = str(result["stderr"])
            is_clear = result["exit_code"] == 1 and is_clear_line(tool, line)
            failures.append(ToolFailure(tool, line, is_clear))
    return failures


def is_clear_line(tool: str, text: str) -> bool:
    """Return True if a tool has printed one line, which begins with its name: "jq: no such file".

    An error of SQLite begins with "SQL logic error: ".
    """
    begins_with_name = text.startswith((f"{tool}: ", "SQL logic error: "))
    return begins_with_name and len(text.splitlines()) == 1 and 10 < len(text) < 1_000

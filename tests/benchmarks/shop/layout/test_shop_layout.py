"""What is learned of a shop whose documents say less than usual."""

from dataclasses import replace

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from sandbox.interface import CallError
from tests.support.finding_truths import CALLS
from tests.support.shop_findings import found, judged, opened


def without_marks(name, *, names="random"):
    """A world of a family whose documents set nothing in code marks."""
    task, _ = opened(name, 7, names=names)
    workspace = task.world.workspace()
    files = {
        path: text.replace("`", "") if path.endswith((".md", ".MD")) else text for path, text in workspace.files.items()
    }
    return task, EcomEnvironment(replace(workspace, files=files))


@pytest.mark.parametrize("family", ["unnamed-basket", "stock-count", "basket-checkout", "sku-lookup", "refund-closure"])
def test_functions_need_no_code_marks(family):
    task, environment = without_marks(family)
    for call in CALLS[family](task):
        result = judged(environment, call)
        assert result.verdict == "right", (task.instruction, call.function, call.arguments, result)


def test_words_that_nothing_marks_are_told_to_be_unknown():
    _, environment = without_marks("staff-count")
    finding, _ = found(environment, "workspace_layout")
    assert (finding["value"]["yes"], finding["value"]["no"]) == ("", "")
    assert any("yes and no" in each for each in finding["notes"])


def test_of_several_documents_at_the_root_the_rules_name_most_others():
    task, _ = opened("staff-count", 7)
    workspace = task.world.workspace()
    files = {"/README.md": "Welcome. See /docs/security.md.", **workspace.files, "/ZEBRA.md": "Nothing."}
    finding, _ = found(EcomEnvironment(replace(workspace, files=files)), "workspace_layout")
    assert finding["value"]["yes"] == task.world.policy.yes


def test_a_workspace_without_a_rules_document_is_not_read():
    task, _ = opened("staff-count", 7)
    workspace = task.world.workspace()
    files = {path: text for path, text in workspace.files.items() if path.count("/") > 1}
    with pytest.raises(CallError, match="rules document"):
        found(EcomEnvironment(replace(workspace, files=files)), "workspace_layout")

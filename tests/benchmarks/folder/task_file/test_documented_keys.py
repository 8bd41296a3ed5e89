"""The page `docs/benchmarks.md` shows each key of a task.toml and of its tables."""

import re

import pytest

from controlplane.agent.model import Frozen
from controlplane.benchmarks.folder.task_file import (
    Change,
    Expected,
    TaskFile,
    Tool,
    ToolCall,
)
from tests.support.command import ROOT


def is_documented(key: str, page: str) -> bool:
    """Return True if a page shows a key, such as `args`, in one of four forms.

    These are a line `args = ...` of an example, "`args`" or "`args = ...`" in a sentence, and the
    name of a table: `[args]` or `[tool.args]`.
    """
    forms = rf"^{key} =|`{key}( =|`)|[.\[]{key}\]"
    return re.search(forms, page, re.MULTILINE) is not None


@pytest.mark.parametrize("table", [TaskFile, Tool, ToolCall, Expected, Change])
def test_every_key_is_documented(table: type[Frozen]) -> None:
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")

    missing_keys = [key for key in table.model_fields if not is_documented(key, page)]

    assert missing_keys == []

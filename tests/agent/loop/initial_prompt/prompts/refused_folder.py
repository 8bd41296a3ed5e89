"""The message with which a folder of own prompts is refused.

`refusal_of(folder)` -> "mine/system.md is empty; ...", one line that names the file.
"""

from pathlib import Path

import pytest

from controlplane.agent.loop import PromptError, read_prompts


def refusal_of(folder: Path) -> str:
    """Return the message of the error with which the folder is refused, which is one line."""
    with pytest.raises(PromptError) as refused:
        read_prompts(folder)
    message = str(refused.value)
    assert "\n" not in message
    return message

"""Prompts and hints of a user."""

import shutil
from pathlib import Path

import pytest

from controlplane.agent.loop.prompts import FOLDER as PROMPT_FOLDER


@pytest.fixture
def own_prompts(tmp_path: Path) -> Path:
    """The folder `mine`, which has the product's prompts except for the user's system prompt.

    The hints are beside it, in the working folder. Prompts have placeholders: `{{harness}}` stands for
    what scripts may call. Hints have none, so that their braces stay as they are.
    """
    prompts = tmp_path / "mine"
    shutil.copytree(PROMPT_FOLDER, prompts)
    (prompts / "system.md").write_text(
        "You are the clerk of a telephone exchange.\n\n{{harness}}\n"
    )
    (tmp_path / "hints.txt").write_text("Numbers have {{two}} digits.\n")
    return prompts

"""A folder of own prompts has a file for each prompt of the product.

A user may replace the product's prompts by such a folder (`--prompts FOLDER`). Here `folder` is a copy
of the product's prompts, named `mine`, from which files are removed.
"""

import shutil
from pathlib import Path

from tests.agent.loop.initial_prompt.prompts.refused_folder import refusal_of


def test_missing_prompts_are_named_together(folder: Path) -> None:
    """The message says from where to copy those that the user wants to keep."""
    (folder / "time.md").unlink()
    (folder / "context.md").unlink()

    refusal = refusal_of(folder)

    assert "mine has no time.md, context.md; " in refusal
    assert refusal.partition(": copy those to be kept from ")[2].endswith("prompts")


def test_a_missing_folder_is_refused(folder: Path) -> None:
    """The user has probably misspelt its name."""
    shutil.rmtree(folder)

    refusal = refusal_of(folder)

    assert "there is no folder " in refusal
    assert refusal.endswith("mine")

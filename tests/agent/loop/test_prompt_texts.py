import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.loop import PromptError, Prompts, default_prompts, read_prompts, read_text
from agent.loop.initial_prompt import system_prompt
from agent.loop.prompt_texts import FOLDER, MOST_CHARS
from benchmarks.ecom.runtime.shop_environment import SURFACE
from sandbox.interface import Surface
from tests.support.phonebook import LOOKUP


def changed(name: str, change: Callable[[str], str]) -> Callable[[Path], object]:
    """Return what changes one text of a folder."""

    def write(folder: Path) -> None:
        path = folder / f"{name}.md"
        path.write_text(change(path.read_text()))

    return write


WRONG_FOLDERS = {
    "a hole that nothing fills": (
        changed("warning", lambda text: f"{text}The {{{{weather}}}}.\n"),
        r"mine/warning\.md, line 2: it has the hole \{\{weather\}\}, which nothing fills \(known: left\)",
    ),
    "no hole for what is asked": (
        changed("turn_one", lambda text: text.replace("{{instruction}}", "it")),
        r"mine/turn_one\.md lacks the hole \{\{instruction\}\}",
    ),
    "too long": (changed("nudge", lambda text: "x" * (MOST_CHARS + 1)), r"mine/nudge\.md is longer than 32,000"),
    "far too long": (changed("nudge", lambda text: "é" * 9 * MOST_CHARS), r"mine/nudge\.md is longer than 32,000"),
    "empty": (changed("system", lambda text: " \n"), r"mine/system\.md is empty"),
    "two that are missing": (
        lambda folder: [(folder / each).unlink() for each in ("time.md", "context.md")],
        r"mine has no time\.md, context\.md; .*: copy those to be kept from .*prompts",
    ),
    "no UTF-8": (lambda folder: (folder / "time.md").write_bytes(b"a\nb\xff"), r"time\.md, line 2: it is not UTF-8"),
    "a folder in a file's place": (
        lambda folder: [(folder / "time.md").unlink(), (folder / "time.md").mkdir()],
        r"cannot read .*time\.md: Is a directory",
    ),
    "no folder": (lambda folder: shutil.rmtree(folder), "there is no folder .*mine"),
}


def test_holes_are_filled_and_their_values_are_not_filled_again() -> None:
    told = default_prompts().filled("unusable", reason="{{reason}} is odd")
    assert told.startswith("{{reason}} is odd Nothing was run.")


@pytest.mark.parametrize("fault", WRONG_FOLDERS)
def test_a_folder_that_cannot_replace_the_prompts_is_refused(fault: str, tmp_path: Path) -> None:
    spoil, says = WRONG_FOLDERS[fault]
    shutil.copytree(FOLDER, tmp_path / "mine")
    spoil(tmp_path / "mine")
    with pytest.raises(PromptError, match=says) as refused:
        read_prompts(tmp_path / "mine")
    assert "\n" not in str(refused.value)


def test_hints_stand_at_the_end_of_the_system_prompt_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "hints.txt").write_text("Mind the {{harness}}.\r\nAlways.\n")
    hinted = Prompts(texts=default_prompts().texts, hints=read_text(tmp_path / "hints.txt"))
    plain = system_prompt(SURFACE)
    assert system_prompt(SURFACE, hinted) == f"{plain}\nMind the {{{{harness}}}}.\nAlways.\n"
    assert hinted.digest != default_prompts().digest


def test_the_system_prompt_is_derived_from_the_declaration() -> None:
    text = system_prompt(Surface(operations=(LOOKUP,)))
    assert "`harness.lookup(name)` -> .number: the phone number of a person" in text
    assert "harness.read" not in text.split("# The harness")[1].split("# The scratchpad")[0]


def test_the_prompt_before_the_workspace_stays_short() -> None:
    assert len(system_prompt(SURFACE)) + len(default_prompts().texts["turn_one"]) < 7_700

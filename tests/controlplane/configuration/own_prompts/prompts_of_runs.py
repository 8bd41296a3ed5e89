"""System prompts of the runs of a folder, and the options that replace them by the user's own texts."""

from pathlib import Path

from controlplane import open_journal

OWN_TEXTS = ("--prompt", "mine", "--hints", "hints.txt")
"""The options that name the folder of prompts and the file of hints."""


def newest_journal(folder: Path) -> Path:
    """Return the journal of the last run that was started in the folder."""
    journals = folder.glob("runs/*.jsonl")
    return max(journals, key=lambda journal: journal.stat().st_mtime_ns)


def system_prompts_of_newest_run(folder: Path) -> list[str]:
    """Return the system prompt of each trial of the folder's newest run.

    `["You are the clerk of a telephone exchange. …", …]`
    """
    prompts: list[str] = []
    with open_journal(newest_journal(folder)) as journal:
        for trial in journal.trials.values():
            if trial.initial_prompt is not None:
                prompts.append(trial.initial_prompt.system)
    return prompts

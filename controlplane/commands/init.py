"""`controlplane init DIR`: a first task of the user's own, with replies that play it without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from controlplane.errors import UsageError, as_usage_error
from controlplane.program_invocation import invocation
from controlplane.sandbox.files import write_whole
from controlplane.terminal_text import say

_TASK: Final = "tasks/saturday/task.toml"
_REPLIES: Final = "replies.toml"
_README: Final = "README.md"

_TASK_TEXT: Final = '''instruction = """
Until when is the library open on Saturdays? Answer with the time alone, such as 17:45, and cite what you read.
"""

[expected]
outcome = "OUTCOME_OK"
answer = "13:30"
references = ["/opening-hours.md"]
'''

_OPENING_HOURS: Final = """# Opening hours

Monday to Friday: 08:00 to 18:00
Saturday: 09:00 to 13:30
"""

_REPLIES_TEXT: Final = """# What a model would reply to the task, so that it is played without one.

[[reply]]
when = "open on Saturdays"
state = "the opening hours say it"
code = '''
page = harness.read("/opening-hours.md").content
hours = [line for line in page.splitlines() if line.startswith("Saturday")][0]
scratchpad["answer"] = hours.split(" to ")[1]
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/opening-hours.md", hours)
def verify(sp):
    return sp["outcome"] == "OUTCOME_OK" and sp["answer"] in hours
harness.answer(scratchpad, verify)
'''
"""

_README_TEXT: Final = """# A task for an agent

`{task}` has the request and the right answer; `files` beside it is what the agent can read.
In the folder where `init` was called, this plays it by `{replies}`, without a model or a network:

    {scripted}

With a model of yours (`OPENAI_BASE_URL` is its address; `NAME` is the model):

    {with_model}
"""


@click.command("init")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def init_command(folder: Path) -> None:
    """Make a first task of your own in DIR, a file of replies that plays it without a
    model or a network, and a README with the commands."""
    benchmark = f"folder:{folder / 'tasks'}"
    scripted = invocation(
        "run", "--benchmark", benchmark, "--model", f"scripted:{folder / _REPLIES}"
    )
    with_model = invocation("run", "--benchmark", benchmark, "--model", "NAME")
    readme = _README_TEXT.format(
        task=_TASK, replies=_REPLIES, scripted=scripted, with_model=with_model
    )
    texts = {
        _TASK: _TASK_TEXT,
        "tasks/saturday/files/opening-hours.md": _OPENING_HOURS,
        _REPLIES: _REPLIES_TEXT,
        _README: readme,
    }

    # Check all files before the first is written.
    for name in texts:
        if (folder / name).exists():
            msg = f"{folder / name} is there already: name a new folder"
            raise UsageError(msg)
    with as_usage_error(f"cannot write to {folder}", OSError):
        for name, text in texts.items():
            write_whole(folder / name, text.encode(), folder, replaces=False)
    for name in texts:
        say(f"wrote {folder / name}")
    say(f"next  {scripted}")

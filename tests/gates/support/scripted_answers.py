"""Scripted answers to questions about a folder of files, each with one known mistake.

A scripted answer is a TOML file with the script that answers a question, in short:

    for p in ['/a.md', '/b.md']: print(harness.read(p).content)
    scratchpad['answer']='There were 23 complaints.'

It is not run. `unverified_in_answer` finds in its text which files it reads, and what it answers.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import unverified_in
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun

SHARED_QUESTIONS = Path(__file__).parents[4] / "shared" / "ask"
"""Questions about a folder of files, and scripted answers with one kind of mistake each. They are
shared by several projects and are not part of this one."""


def unverified_in_answer(name: str) -> list[str]:
    """Return the unverified values of the scripted answer with this name: `["23"]`."""
    folder = SHARED_QUESTIONS / "C"
    question = (folder / f"{name}.q").read_text(encoding="utf-8")
    replies = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    script = replies["reply"][0]["code"]
    sources = [shared_source(path) for path in paths_read_by(script)]
    marker = ValueMarker(
        sources,
        question,
        names="\n".join(source.path for source in sources),
        script_runs=[ScriptRun(script, output_of(script))],
    )
    return unverified_in(marker.marks(answer_of(script)))


def shared_source(path: str) -> Source:
    """Read a file of the folder that the questions are about: UTF-8 or UTF-16."""
    data = (SHARED_QUESTIONS / "mini" / path.removeprefix("/")).read_bytes()
    utf_16_mark = b"\xff\xfe"
    encoding = "utf-16" if data.startswith(utf_16_mark) else "utf-8"
    return Source(path, data.decode(encoding))


def paths_read_by(script: str) -> list[str]:
    """Return the files that a script of an answer reads: it begins `for p in ['/a.md',
    '/b.md']`."""
    path_list = re.search(r"for p in (\[.*?\])", script)
    assert path_list is not None
    return re.findall(r"'(/[^']+)'", path_list[1])


def answer_of(script: str) -> str:
    """Return what a script answers, by its line `scratchpad['answer']='...'`."""
    answer = re.search(r"scratchpad\['answer'\]='(.*)'\n", script)
    assert answer is not None
    return answer[1]


def output_of(script: str) -> str:
    """Return what a script prints besides the files that it reads.

    Only the script of `16-hardcoded-print` prints anything: `print("complaints:", 230+1)`.
    """
    if 'print("complaints:", 230+1)' in script:
        return "complaints: 231\n"
    return ""

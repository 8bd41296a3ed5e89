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

from controlplane.gates.support.marks import unverified_in
from controlplane.gates.support.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun

SHARED_QUESTIONS = Path(__file__).parents[4] / "shared" / "ask"
"""Questions with scripted answers, which several projects share. They are no part of this one."""
QUESTIONS = SHARED_QUESTIONS / "C"
"""For each name, a question and an answer: `03-wrong-row.q` and `03-wrong-row.toml`."""
FILES = SHARED_QUESTIONS / "mini"
"""The folder of files that the questions are about."""


def unverified_in_answer(name: str) -> list[str]:
    """Return the unverified values of the scripted answer with this name: `["23"]`."""
    question = (QUESTIONS / f"{name}.q").read_text(encoding="utf-8")
    replies = tomllib.loads((QUESTIONS / f"{name}.toml").read_text(encoding="utf-8"))
    script = replies["reply"][0]["code"]
    paths = paths_read_by(script)
    marker = ValueMarker(
        sources=[source_at(path) for path in paths],
        question=question,
        names="\n".join(paths),  # `/policy-2025.md` states the year 2025.
        script_runs=[ScriptRun(script, computed_output_of(script))],
    )
    return unverified_in(marker.marks(answer_of(script)))


def source_at(path: str) -> Source:
    """Read a file that the questions are about, in UTF-8 or UTF-16: `/revenue.csv`."""
    data = (FILES / path.removeprefix("/")).read_bytes()
    utf_16_mark = b"\xff\xfe"
    encoding = "utf-16" if data.startswith(utf_16_mark) else "utf-8"
    return Source(path, data.decode(encoding))


def paths_read_by(script: str) -> list[str]:
    """Return the files that a script reads: `for p in ['/a.md', '/b.md']` -> `["/a.md", "/b.md"]`."""
    path_list = re.search(r"for p in (\[.*?\])", script)
    assert path_list is not None
    return re.findall(r"'(/[^']+)'", path_list[1])


def answer_of(script: str) -> str:
    """Return what a script answers: `scratchpad['answer']='It is 23.'` -> "It is 23."."""
    answer = re.search(r"scratchpad\['answer'\]='(.*)'\n", script)
    assert answer is not None
    return answer[1]


def computed_output_of(script: str) -> str:
    """Return what a script prints of its own, and not from a file.

    Only one of the scripts does, that of the answer `16-hardcoded-print`.
    """
    return "complaints: 231\n" if 'print("complaints:", 230+1)' in script else ""

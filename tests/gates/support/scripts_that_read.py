"""Scripts that read files, and how a value of the answer is then marked.

mark_after_script(
    'fees = harness.read("/fees.txt").content.split()\\n'
    'print(sum(int(fee) for fee in fees))',
    files={"/fees.txt": "300 470 300"},
    answer="All cost 1,070 EUR.",
).support  # "computed"
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.gates.support.sources import Source
from controlplane.gates.support.support_texts import Mark
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial import ScriptRun


@dataclass
class FileText:
    """What `harness.read(path)` returns."""

    content: str


@dataclass
class ReadableFiles:
    """The object `harness` of a script, by which it reads files."""

    files: Mapping[str, str]

    def read(self, path: str) -> FileText:
        return FileText(self.files[path])

    def earlier(self) -> dict[str, int]:
        """Return what an earlier script kept: its own words, and not evidence."""
        return {"total": 1070}


@dataclass
class Console:
    """The object `console` of a script: `console.log("total:", 7)` prints."""

    log = staticmethod(print)


def run_script(script: str, files: Mapping[str, str]) -> ScriptRun:
    """Run a script that reads these files. Return it with what it printed and stored.

    `run_script("print(7)", files={}).printed` -> `"7\\n"`
    """
    scratchpad: dict[str, object] = {}
    names = {
        "harness": ReadableFiles(files),
        "scratchpad": scratchpad,
        "console": Console(),
    }
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(script, names)
    return ScriptRun(script, printed.getvalue(), scratchpad)


def mark_after_script(script: str, files: Mapping[str, str], answer: str) -> Mark:
    """Run a script that reads these files. Return the mark of the only value in the answer."""
    run = run_script(script, files)
    sources = [Source(path, text) for path, text in files.items()]
    (mark,) = ValueMarker(sources, script_runs=[run]).marks(answer)
    return mark

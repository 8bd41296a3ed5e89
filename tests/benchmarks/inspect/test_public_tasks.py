"""Tasks of Inspect that others wrote, in a file beside the repository, are played with their scorers.

words.heron     "What is a heron?"       the right answer includes "a grey bird", as `lookup` says
words.sum       "2+2?"                   the right answer is 4
choices.bird    "Which is a bird?"       the right answer is B
"""

from pathlib import Path

import pytest

from tests.benchmarks.inspect.inspect_runs import (
    scores_of,
    script_reply,
    write_replies,
)
from tests.support.command import run_controlplane
from tests.support.product_files import ROOT

pytest.importorskip("inspect_ai")

PUBLIC_TASKS = ROOT.parent / "shared/public/inspect_sample.py"


@pytest.mark.skipif(not PUBLIC_TASKS.exists(), reason="the file is not here")
def test_public_tasks_are_played(tmp_path: Path) -> None:
    """The answer to the second sample is wrong."""
    write_replies(
        tmp_path,
        script_reply(
            "words.heron",
            code="print(harness.lookup(word='heron').value)",
            answer="It is a grey bird.",
        ),
        script_reply("words.sum", answer="5"),
        script_reply("choices.bird", answer="ANSWER: B"),
    )

    run = run_controlplane(
        "run",
        f"--benchmark=inspect:{PUBLIC_TASKS}",
        "--model=scripted:replies.toml",
        "--json",
        cwd=tmp_path,
    )

    assert scores_of(run) == {
        "words.heron": 1.0,
        "words.sum": 0.0,
        "choices.bird": 1.0,
    }

"""Runs of the embedded benchmark that are killed and resumed: the same scores as if nothing had happened."""

import random
import time
from pathlib import Path

from controlplane.replay import read_journal
from tests.support.command import controlplane, started


def test_a_killed_run_of_the_embedded_benchmark_resumes_to_the_scores_of_one_that_was_not(
    tmp_path: Path, heavy: bool
) -> None:
    chance = random.Random(5)
    flags = ("run", "--quiet", "--concurrency", "4", "--limit", "24")
    for number in range(40 if heavy else 3):
        folder = tmp_path / str(number)
        folder.mkdir()
        whole = controlplane(*flags, "--seed", str(number), "--json", cwd=folder).json
        (folder / "runs").rename(folder / "whole")
        process = started(*flags, "--seed", str(number), cwd=folder)
        while not list(folder.glob("runs/*.jsonl")):
            time.sleep(0.01)
        time.sleep(chance.uniform(0.1, 1.2))
        process.kill()
        process.communicate()
        journal = next(folder.glob("runs/*.jsonl"))
        if not journal.stat().st_size or not read_journal(journal).summary.run_id:
            continue
        assert controlplane("resume", "last", "--json", cwd=folder).code == 0
        summary = read_journal(journal).summary
        scores = {each.task_id: each.score for each in summary.trials.values()}
        assert scores == {each["task_id"]: each["score"] for each in whole["trials"]}
        assert controlplane("replay", "last", "--verify", cwd=folder).code == 0

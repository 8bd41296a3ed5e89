"""Runs of the embedded benchmark that are killed and resumed end with the scores of an undisturbed run."""

import random
import time
from pathlib import Path

from controlplane.journal.journal_content import Journal, open_journal
from controlplane.lifecycle.run_lifecycle import reopen_run
from controlplane.replay.verification import verify
from tests.support.command import ROOT, started, wait_until
from tests.support.in_process_command import inside


def test_a_killed_run_of_the_embedded_benchmark_resumes_to_the_scores_of_one_that_was_not(
    tmp_path: Path, heavy: bool
) -> None:
    chance = random.Random(5)
    flags = ("run", "--quiet", "--concurrency", "4", "--limit", "24" if heavy else "5")
    for number in range(40 if heavy else 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        whole = inside(*flags, "--seed", str(number), "--json", cwd=folder)
        (folder / "runs").rename(folder / "whole")
        process = started(*flags, "--seed", str(number), cwd=folder)
        wait_until(lambda at=folder: any(b'"type":"run_started"' in path.read_bytes() for path in at.glob("runs/*")))
        time.sleep(chance.uniform(0.1, 1.0))
        process.kill()
        process.communicate()
        (journal,) = folder.glob("runs/*.jsonl")
        assert inside("resume", "last", "--json", cwd=folder).code == whole.code
        summary = open_journal(journal).summary
        scores = {trial.task_id: trial.score for trial in summary.trials.values()}
        assert scores == {trial["task_id"]: trial["score"] for trial in whole.json["trials"]}
        assert inside("replay", "last", "--verify", cwd=folder).code == 0


def resumed(path: Path) -> Journal:
    """Resume the run of the journal in this process."""
    with reopen_run(path, works=True) as (run, resume_states):
        run.work(resume_states)
        run.submit()
        run.close()
    return open_journal(path)


def test_a_journal_cut_behind_any_line_resumes_to_the_same_steps_and_scores(tmp_path: Path, heavy: bool) -> None:
    script = ROOT / "tests/support/phonebook.toml"
    flags = ("--benchmark", "tests.support.phonebook", "--model", f"scripted:{script}", "--concurrency", "1")
    inside("run", *flags, "ada", "grace", cwd=tmp_path)
    (whole,) = tmp_path.glob("runs/*.jsonl")
    lines = whole.read_bytes().splitlines(keepends=True)
    expected = open_journal(whole)
    began = next(at for at, line in enumerate(lines) if b'"type":"run_started"' in line)
    for cut in range(began + 1, len(lines), 1 if heavy else 12):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(b"".join(lines[:cut]) + lines[cut][: len(lines[cut]) // 2])
        content = resumed(path)
        assert content.summary.scores == expected.summary.scores, cut
        for name, record in expected.trials.items():
            told = [(step.code, step.output, step.verdicts) for step in content.trials[name].steps]
            assert told == [(step.code, step.output, step.verdicts) for step in record.steps], (cut, name)
        assert verify(content, list(content.trials)).steps == 5

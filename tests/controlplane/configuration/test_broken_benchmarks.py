"""What a run tells of an error in the benchmark that the user has written.

The user's `shelf.py` is the benchmark `docs/examples/wordbook.py`, in which one method is broken.
If `end_trial` returns 1.0, for example, the reason of the trial is "could not end: TypeError:
end_trial returned 1.0, not a TrialScore".
"""

import sys
from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.support.command import ROOT, CommandResult, run_in_process


def run_broken_wordbook(folder: Path, method: str, statement: str) -> CommandResult:
    """Play one trial of the wordbook, with right replies, after this method was broken.

    `run_broken_wordbook(folder, "Wordbook.end_trial", "return 1.0")`: it does only the statement,
    which is in line 2 of the user's `shelf.py`.
    """
    wordbook = (ROOT / "docs/examples/wordbook.py").read_text(encoding="utf-8")
    broken = f"def broken(*arguments):\n    {statement}\n\n"
    source = f"{broken}{wordbook}\n{method} = broken\n"
    (folder / "shelf.py").write_text(source, encoding="utf-8")
    sys.modules.pop("shelf", None)  # the module of another test

    replies = f"scripted:{ROOT}/docs/examples/wordbook.toml"
    command = ("run", "--benchmark", "shelf", "--limit", "1", "--model", replies)
    return run_in_process(*command, "--json", cwd=folder)


def check_trial_has_reason(result: CommandResult, folder: Path, reason: str) -> None:
    """Assert that the run tells why its one trial failed, and that its journal can be shown.

    `reason` is how the told reason begins.
    """
    (trial,) = result.json["trials"]
    assert trial["reason"].startswith(reason)
    shown = run_in_process("show", "last", "--json", cwd=folder)
    assert shown.json["trials"]


SUCCESS = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial has no answer."""


class TestBrokenCalls:
    """The environment of a trial breaks at a call or at its clock: the trial ends.

    As long as they work, `WordEnvironment.call` looks a word up and returns {"meaning": "a grey
    bird"}, and `WordEnvironment.now` returns the time of the trial, which is None here.
    """

    @pytest.mark.parametrize(
        ("statement", "reason"),
        [
            pytest.param(
                "{}['call']",
                "the benchmark broke: KeyError: 'call' (shelf.py, line 2)",
                id="an exception",
            ),
            pytest.param(
                "raise SystemExit(0)",
                "the benchmark broke: SystemExit: 0 (shelf.py, line 2)",
                id="an exit",
            ),
            pytest.param(
                "raise GeneratorExit(7)",
                "the benchmark broke: GeneratorExit: 7 (shelf.py, line 2)",
                id="an exception that is no Exception",
            ),
            pytest.param(
                "return None",
                "the benchmark broke: TypeError: define broke: it returned None",
                id="no result",
            ),
            pytest.param(
                "return {'a': id}",
                "the benchmark broke: TypeError: define broke: its result cannot be",
                id="a result that cannot be recorded",
            ),
        ],
    )
    def test_a_benchmark_that_breaks_at_a_call_ends_the_trial(
        self, statement: str, reason: str, tmp_path: Path
    ) -> None:
        """The model's script calls `harness.define("heron")`, and the benchmark makes the call."""
        result = run_broken_wordbook(tmp_path, "WordEnvironment.call", statement)

        assert result.code == A_TRIAL_FAILED
        check_trial_has_reason(result, tmp_path, reason)

    def test_a_benchmark_whose_clock_breaks_gives_a_fallback(
        self, tmp_path: Path
    ) -> None:
        """The clock is asked before the first step. The trial ends at once with a *fallback*, an
        answer of the product's own."""
        result = run_broken_wordbook(
            tmp_path, "WordEnvironment.now", "raise ValueError('now')"
        )

        assert result.code == SUCCESS
        reason = "the benchmark broke: ValueError: now (shelf.py, line 2)"
        check_trial_has_reason(result, tmp_path, reason)


class TestBrokenStartsAndEnds:
    """The benchmark breaks when it starts or ends a trial, or takes the answer.

    As long as they work, `Wordbook.start_trial` returns the trial heron-0 of the task heron,
    `WordEnvironment.answer` takes the answer of the model, and `Wordbook.end_trial` returns the
    score, TrialScore("heron-0", 1.0).
    """

    @pytest.mark.parametrize(
        ("method", "statement", "reason"),
        [
            pytest.param(
                "Wordbook.start_trial",
                "return None",
                "could not start: TypeError: start_trial returned None, not a Trial",
                id="no trial at the start",
            ),
            pytest.param(
                "Wordbook.start_trial",
                "return Trial('heron-0', 'heron', 0, WordEnvironment())",
                "could not start: TypeError: the instruction of heron is a text, not 0",
                id="an instruction that is not a text",
            ),
            pytest.param(
                "WordEnvironment.answer",
                "raise ValueError('full')",
                "the benchmark broke: ValueError: full (shelf.py, line 2)",
                id="an exception at the answer",
            ),
            pytest.param(
                "WordEnvironment.answer",
                "raise SystemExit(0)",
                "the benchmark broke: SystemExit: 0 (shelf.py, line 2)",
                id="an exit at the answer",
            ),
            pytest.param(
                "Wordbook.end_trial",
                "return 1.0",
                "could not end: TypeError: end_trial returned 1.0, not a TrialScore",
                id="a number in place of a TrialScore",
            ),
            pytest.param(
                "Wordbook.end_trial",
                "return TrialScore('heron-0', float('nan'))",
                "could not end: ValueError: the score of heron-0 is a finite number",
                id="a score that is not a number",
            ),
            pytest.param(
                "Wordbook.end_trial",
                "return TrialScore('heron-0', 1e16)",
                "could not end: ValueError: the score of heron-0 is a finite number",
                id="a score that is too large",
            ),
            pytest.param(
                "Wordbook.end_trial",
                "return TrialScore('heron-0', 'good')",
                "could not end: ValueError: the score of heron-0 is a finite number",
                id="a score that is a text",
            ),
        ],
    )
    def test_a_benchmark_that_breaks_at_a_start_or_an_end_leaves_the_trial_open(
        self, method: str, statement: str, reason: str, tmp_path: Path
    ) -> None:
        """The run is not complete, and can be resumed once the benchmark is corrected."""
        result = run_broken_wordbook(tmp_path, method, statement)

        assert result.code == Unreachable.exit_code
        check_trial_has_reason(result, tmp_path, reason)

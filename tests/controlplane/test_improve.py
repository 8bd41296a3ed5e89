"""`controlplane improve`: a loop that edits hints or prompts of an agent until it scores better.

A model plays tasks, another model (the proposer) sees failed trials and proposes new texts, and
each candidate, a set of edited texts, is played again. Training worlds are shown to the
proposer, check worlds choose the best candidate, and final worlds, which nobody has seen, prove
the result: `0.50 → 1.00 on 12 unseen tasks`.
"""

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Interrupted, UsageError
from controlplane.improving.candidates import candidate_runs
from controlplane.improving.candidates.candidate_files import (
    candidate_folder,
    candidate_settings,
)
from controlplane.improving.candidates.candidate_id import id_of
from controlplane.improving.candidates.edited_files import edited_files
from controlplane.improving.loop_lines import LoopEnded, LoopOpened, Proposed
from controlplane.improving.loop_record import LoopRecord
from controlplane.improving.proof import difference_interval, result_text
from controlplane.improving.proposing.instance_data import added_values, record_values
from controlplane.improving.proposing.model_proposer import text_in
from controlplane.improving.worlds.task_shares import split_tasks
from controlplane.journal.totals.spending_totals import Spent
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.score_statistics import Interval
from controlplane.view.progress.run_display import SILENT
from tests.support.command import (
    ROOT,
    CommandResult,
    run_controlplane,
    run_in_process,
    start_controlplane,
    wait_until,
)
from tests.support.endpoints import ModelHttpRequest, ModelServer, model_server
from tests.support.riddles import HARMS, HELPS, LOOK_AGAIN, endpoint

OK = 0
NOT_BETTER = 1
"""The exit code of a loop that does not show an improvement."""
USAGE_ERROR = 2
NOT_CONSENTED = 6
"""The exit code of a command that shows a change, and does not make it without `--apply`."""
INTERRUPTED = 130

# --- Loops over a benchmark of riddles ---
#
# There are riddles of six kinds: alder, birch, cedar, ... The player's hints decide which of them it
# solves:
#
#     HELPS["alder"] == "Read the record twice."       without this sentence, it fails at alder
#     HARMS["dogwood"] == "Answer before you look."    with this sentence, it fails at dogwood
#
# The proposer sees failed riddles, and adds a sentence that helps, or deletes one that harms. Once,
# it copies an id such as AL-777 from a trial. One server plays both models.

PLAYER = "small"
PROPOSER = "big"
"""The names of the two models."""

CHECK_WORLDS = range(101, 107)
FINAL_WORLDS = range(201, 213)
"""Worlds that check and prove the result. The proposer must not see them."""
WORLD_OPTIONS = ("--train", "1-11", "--check", "101-106", "--final", "201-212")
LIMIT_OPTIONS = ("--proposals", "12", "--batch", "4")
"""At most 12 proposals, and 4 failed trials shown to the proposer for each."""

FIRST_HINTS = "Solve the riddle.\n" + "\n".join(HARMS.values()) + "\n"
"""The hints before the loop: two sentences harm, and those that help are missing."""


def improve_command(
    *options: str,
    proposer: str = PROPOSER,
    edited_file: str = "hints.txt",
    worlds: tuple[str, ...] = WORLD_OPTIONS,
) -> list[str]:
    """Return the words of a command such as `improve --benchmark ... --with big --train 1-11`."""
    return [
        "improve",
        "--benchmark",
        "tests.support.riddles",
        "--model",
        PLAYER,
        "--reply-mode",
        "text",
        "--hints",
        "hints.txt",
        "--edit",
        edited_file,
        "--with",
        proposer,
        *worlds,
        *LIMIT_OPTIONS,
        *options,
    ]


def environment_for(url: str) -> dict[str, str]:
    """Return the environment variables of a command that asks the models at this address."""
    return {
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "none",
        "PYTHONPATH": str(ROOT),
    }


def run_loop(
    folder: Path,
    url: str,
    *options: str,
    proposer: str = PROPOSER,
    edited_file: str = "hints.txt",
    worlds: tuple[str, ...] = WORLD_OPTIONS,
) -> CommandResult:
    """Run `improve` to its end in this folder, with the models at this address."""
    command = improve_command(
        *options, proposer=proposer, edited_file=edited_file, worlds=worlds
    )
    return run_in_process(*command, cwd=folder, **environment_for(url))


def loop_of(folder: Path) -> LoopRecord:
    """Return the record of the only loop that ran in a folder."""
    (path,) = (folder / "runs").glob("*/loop.jsonl")
    return LoopRecord(path.parent)


def requests_to(model: str, server: ModelServer) -> list[ModelHttpRequest]:
    """Return the requests so far that were for one of the two models."""
    return [request for request in server.asked if request.body["model"] == model]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the hints that loops edit."""
    (tmp_path / "hints.txt").write_text(FIRST_HINTS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def models() -> Iterator[ModelServer]:
    """A server that plays both models, at `models.url`; `models.asked` has all their requests."""
    with model_server(endpoint()) as server:
        yield server


@dataclass(frozen=True)
class FinishedLoop:
    """A loop that found better hints, and the server of its models, which still runs."""

    folder: Path
    server: ModelServer
    code: int
    result: dict[str, Any]
    """What the loop printed: `{"best": "3fa9...", "is_better": true, "text": "0.33 → ..."}`."""

    @property
    def record(self) -> LoopRecord:
        return loop_of(self.folder)

    @property
    def best_hints(self) -> str:
        """The hints of the best candidate."""
        candidate = self.record.folder / "candidates" / self.result["best"]
        return (candidate / "hints.txt").read_text(encoding="utf-8")

    @property
    def names(self) -> list[str]:
        """The names by which a user may call the loop: its id, the beginning of the id, "last" and
        the path of its folder."""
        loop_id = self.record.folder.name
        beginning_of_id = loop_id[:12]
        return [loop_id, beginning_of_id, "last", str(self.record.folder)]


@pytest.fixture(scope="module")
def finished_loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FinishedLoop]:
    """A loop that is over, for tests that only look at it."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "hints.txt").write_text(FIRST_HINTS, encoding="utf-8")
    with model_server(endpoint()) as server:
        run = run_loop(folder, server.url, "--json")
        yield FinishedLoop(folder, server, run.code, json.loads(run.out))


@pytest.mark.second_tier
def test_a_loop_adds_hints_that_help_and_deletes_those_that_harm(
    finished_loop: FinishedLoop,
) -> None:
    """The hints before the loop have all sentences that harm, and none that helps. The best ones
    have it the other way round."""
    for sentence in HELPS.values():
        assert sentence in finished_loop.best_hints
    for sentence in HARMS.values():
        assert sentence not in finished_loop.best_hints

    assert finished_loop.code == OK
    assert finished_loop.result["is_better"] is True
    assert f" on {len(FINAL_WORLDS)} unseen tasks (+" in finished_loop.result["text"]


@pytest.mark.second_tier
def test_a_proposal_that_copies_data_of_a_trial_is_refused(
    finished_loop: FinishedLoop,
) -> None:
    """A hint such as "The id is AL-777." is right in one world only."""
    refusals: list[str] = []
    for proposal in finished_loop.record.proposals:
        if "data of the trials" in proposal.refused:
            refusals.append(proposal.refused)

    assert refusals
    end_of_every_id = "77"
    assert end_of_every_id not in finished_loop.best_hints


@pytest.mark.second_tier
def test_the_proposer_never_sees_check_and_final_worlds(
    finished_loop: FinishedLoop,
) -> None:
    """A riddle names its world: `Riddle of the kind alder, number 101: what is ...`."""
    for request in requests_to(PROPOSER, finished_loop.server):
        prompt = str(request.body["messages"])
        for world in (*CHECK_WORLDS, *FINAL_WORLDS):
            assert f"number {world}:" not in prompt


@pytest.mark.second_tier
def test_a_finished_loop_is_resumed_under_any_of_its_names_without_a_request(
    finished_loop: FinishedLoop,
) -> None:
    """There is nothing left to do, so `resume` prints the recorded result."""
    requests_before = len(finished_loop.server.asked)

    for name in finished_loop.names:
        resumed = run_in_process(
            "resume",
            name,
            "--json",
            cwd=finished_loop.folder,
            **environment_for(finished_loop.server.url),
        )
        assert resumed.code == OK, name
        assert resumed.json["text"] == finished_loop.result["text"], name

    assert len(finished_loop.server.asked) == requests_before


@pytest.mark.second_tier
def test_show_prints_the_result_of_a_loop_under_any_of_its_names(
    finished_loop: FinishedLoop,
) -> None:
    """It is the result that the loop has printed at its end."""
    for name in finished_loop.names:
        shown = run_in_process("show", name, "--json", cwd=finished_loop.folder).json
        shown["folder"] = finished_loop.result["folder"]  # It may be a relative path.
        assert shown == finished_loop.result, name


@pytest.mark.second_tier
def test_a_report_of_a_loop_is_a_page_with_every_candidate(
    finished_loop: FinishedLoop,
) -> None:
    """The page is one file without scripts, `loop.html`."""
    for name in finished_loop.names:
        report = run_in_process(
            "report", name, "-o", "loop.html", cwd=finished_loop.folder
        )
        assert report.code == OK, name

    page = (finished_loop.folder / "loop.html").read_text(encoding="utf-8")
    for candidate_id in finished_loop.record.checked():
        assert candidate_id in page
    assert "<script" not in page


@pytest.mark.second_tier
def test_a_loop_cannot_be_resumed_with_another_model(
    finished_loop: FinishedLoop,
) -> None:
    """Its candidates were compared by the scores of one model."""
    refused = run_in_process(
        "resume",
        finished_loop.record.folder.name,
        "--model",
        "other",
        cwd=finished_loop.folder,
        **environment_for(finished_loop.server.url),
    )

    assert refused.code == USAGE_ERROR
    assert "only its limits can change" in refused.err


@pytest.fixture
def hints_file(finished_loop: FinishedLoop) -> Iterator[Path]:
    """The file that the loop edits. Other tests share it, so it gets its first text back."""
    path = finished_loop.folder / "hints.txt"
    yield path
    path.write_text(FIRST_HINTS, encoding="utf-8")


@pytest.mark.second_tier
def test_the_best_hints_are_written_only_with_the_option_apply(
    finished_loop: FinishedLoop, hints_file: Path
) -> None:
    """Without it, `improve apply` only shows what it would change."""
    shown = run_in_process("improve", "apply", "last", cwd=finished_loop.folder)
    assert shown.code == NOT_CONSENTED
    assert "nothing is written" in shown.err
    assert hints_file.read_text(encoding="utf-8") == FIRST_HINTS

    applied = run_in_process(
        "improve", "apply", "last", "--apply", cwd=finished_loop.folder
    )
    assert applied.code == OK, applied.err
    assert f"+{HELPS['alder']}" in applied.out
    assert hints_file.read_text(encoding="utf-8") == finished_loop.best_hints


# --- Loops that are stopped ---

CONCURRENT_TRIALS = 8
"""The largest number of trials, each with one request, that a kill can cut off."""


def stop_during_proposals(
    folder: Path, server: ModelServer, stop_signal: signal.Signals
) -> tuple[int, str]:
    """Start a loop, send it a signal after its second proposal, and wait for its end.

    Return its exit code and what it printed on standard error.
    """
    process = start_controlplane(
        *improve_command(), cwd=folder, **environment_for(server.url)
    )
    wait_until(lambda: len(requests_to(PROPOSER, server)) > 1)
    os.kill(process.pid, stop_signal)
    _, error_output = process.communicate()
    return process.returncode, error_output


def count_ended_trials(record: LoopRecord) -> int:
    """Return how many trials ended in all runs of a loop."""
    count = 0
    for journal in (record.folder / "runs").glob("*.jsonl"):
        count += journal.read_bytes().count(b'"type":"trial_ended"')
    return count


def check_resumed_loop(folder: Path, server: ModelServer) -> None:
    """Resume a stopped loop, and assert that it ends well and has paid nothing twice.

    A trial and a proposal each take one request. Only what was under way when the loop was stopped
    is asked again: some trials at most, and one proposal.
    """
    resumed = run_controlplane(
        "resume", "last", "--json", cwd=folder, **environment_for(server.url)
    )

    assert resumed.code == OK, resumed.err
    assert resumed.json["is_better"] is True
    record = loop_of(folder)
    most_trials = count_ended_trials(record) + CONCURRENT_TRIALS
    assert len(requests_to(PLAYER, server)) <= most_trials
    most_proposals = len(record.proposals) + 1
    assert len(requests_to(PROPOSER, server)) <= most_proposals


@pytest.mark.second_tier
def test_a_killed_loop_is_resumed_and_pays_nothing_twice(
    folder: Path, models: ModelServer
) -> None:
    """A kill may leave the journal of the latest run empty. That run is played again."""
    stop_during_proposals(folder, models, signal.SIGKILL)
    journals = (loop_of(folder).folder / "runs").glob("*.jsonl")
    latest_journal = max(journals, key=lambda path: path.stat().st_mtime)
    latest_journal.write_bytes(b"")

    check_resumed_loop(folder, models)


@pytest.mark.second_tier
def test_an_interrupted_loop_names_its_best_candidate_and_is_resumed(
    folder: Path,
    models: ModelServer,
) -> None:
    """Ctrl-C prints the command to continue with, and resuming pays nothing twice."""
    code, error_output = stop_during_proposals(folder, models, signal.SIGINT)
    loop_folder = loop_of(folder).folder

    assert code == INTERRUPTED
    # Such as "best so far: 3fa9, on the check worlds; continue with: controlplane resume improve-1".
    message = re.search(
        r"best so far: (?P<candidate>\w+), on the check worlds; "
        r"continue with: .* resume (?P<loop>\S+)",
        error_output,
    )
    assert message, error_output
    assert message["loop"] == loop_folder.name
    candidate_folder = loop_folder / "candidates" / message["candidate"]
    assert (candidate_folder / "hints.txt").is_file()
    check_resumed_loop(folder, models)


def test_an_interrupt_stops_the_loop_even_if_its_run_has_just_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The user presses Ctrl-C while the last trials of a run end. The run is complete and
    reports no error; the loop must stop all the same instead of starting the next run.

    A stand-in takes the place of the run, as a real one cannot be interrupted in just that moment.
    """
    user_has_interrupted = Event()
    user_has_interrupted.set()
    complete_run = SimpleNamespace(
        controls=SimpleNamespace(interrupted=user_has_interrupted),
        summary=SimpleNamespace(submitted=True, process=SimpleNamespace(error="")),
    )
    monkeypatch.setattr(
        candidate_runs, "continued_run", lambda plan: nullcontext(complete_run)
    )
    monkeypatch.setattr(candidate_runs, "conduct", lambda run, screen: OK)

    play_run = candidate_runs.CandidateRuns(sources={}, screen=SILENT)
    with pytest.raises(Interrupted):
        play_run(RunSettings(), tries=(), journal=Path("run.jsonl"))


# --- Proposals of a program, and other files than hints ---
#
# A proposer may be a program of the user, by `--with "command:python agent.py"`. It is started in a
# folder with copies of the files that `--edit` lists, and with a report of the failed trials. The
# texts that it leaves in these files are the next candidate.

BETTER_HINTS = "\n".join(HELPS.values())
"""Hints with which the player solves all riddles."""

PROPOSES_BETTER_HINTS = f"""
import json, pathlib
rows = json.loads(pathlib.Path('failures/report.json').read_text())
report = pathlib.Path('failures/report.md').read_text()
assert rows and all(row['trace'] in report for row in rows)
pathlib.Path('hints.txt').write_text({BETTER_HINTS!r})
pathlib.Path('other.txt').write_text('not listed')
"""
"""A proposer that reads the report of failed trials, a table and a text, and asserts that the text
has the trace of each row. It writes the hints, and a file that `--edit` does not list."""


def write_proposer(folder: Path, program: str) -> str:
    """Write the program of a proposer, and return the value of `--with` for it."""
    path = folder / "agent.py"
    path.write_text(program, encoding="utf-8")
    return f"command:{sys.executable} {path}"


def test_a_program_proposes_from_a_report_and_changes_listed_files_only(
    folder: Path,
    models: ModelServer,
) -> None:
    """The program also writes a file that `--edit` does not list; a candidate has no such file."""
    proposer = write_proposer(folder, PROPOSES_BETTER_HINTS)

    run = run_loop(folder, models.url, "--json", proposer=proposer)

    assert run.json["is_better"], run.err
    best_candidate = loop_of(folder).folder / "candidates" / run.json["best"]
    assert [path.name for path in best_candidate.iterdir()] == ["hints.txt"]


USELESS_RULES = """
from controlplane.gates.rules import RuleSet, Rule
def look(submission, evidence, case):
    return None
RULE_SET = RuleSet("own", (Rule("look", look),))
"""
"""A user's rule that lets every answer pass."""

BETTER_RULES = f"""
from controlplane.gates.rules import RuleSet, Rule
def look(submission, evidence, case):
    if submission.answer_text == "unknown":
        return {LOOK_AGAIN!r}
    return None
RULE_SET = RuleSet("own", (Rule("look", look),))
"""
"""A rule that sends the answer "unknown" back to the model, with a text for the model."""

PROPOSES_BETTER_RULES = f"""
import pathlib
pathlib.Path('own_rules.py').write_text({BETTER_RULES!r})
"""
"""A proposer that replaces the module of the user's rules."""


@pytest.mark.second_tier
def test_a_module_of_the_user_is_edited_and_each_candidate_plays_with_its_own(
    folder: Path,
    models: ModelServer,
) -> None:
    """A program proposes better rules: they tell the model to look again, after which it solves
    every riddle."""
    (folder / "own_rules.py").write_text(USELESS_RULES, encoding="utf-8")
    proposer = write_proposer(folder, PROPOSES_BETTER_RULES)

    run = run_loop(
        folder,
        models.url,
        "--rule-sets",
        "own_rules:RULE_SET",
        "--json",
        proposer=proposer,
        edited_file="own_rules.py",
    )

    assert run.json["is_better"] is True, run.err
    # "0.33 → 1.00 on 12 unseen tasks": the score before the loop, and with the better rules.
    assert "→ 1.00" in run.json["text"]


# --- Which tasks and worlds train, check and prove ---


def tasks_of_parts(folder: Path) -> list[list[str]]:
    """Return the tasks of the loop's training, check and final part, in this order."""
    plan = loop_of(folder).plan
    parts: list[list[str]] = []
    for part in (plan.train, plan.check, plan.final):
        parts.append([task for _world, task in part])
    return parts


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(("--split", "34/33/33"), id="by shares"),
        pytest.param(
            (
                "--train",
                "alder, elm",
                "--check",
                "birch,cedar",
                "--final",
                "dogwood,fir",
            ),
            id="by name",
        ),
    ],
)
def test_different_tasks_can_be_set_apart_instead_of_worlds(
    folder: Path, models: ModelServer, parts: tuple[str, ...]
) -> None:
    """Six tasks make three parts of two. That is too few to show an improvement."""
    run = run_loop(folder, models.url, "--json", worlds=parts)

    train, check, final = tasks_of_parts(folder)
    assert len(train) == 2
    assert len(check) == 2
    assert len(final) == 2
    assert len({*train, *check, *final}) == 6
    assert run.code == NOT_BETTER


LIBRARY_TASKS = ["foreign-reader", "overdue-loans", "renewed-loan"]
"""The tasks of the library, a benchmark in `docs/examples`. Its files are written down, not
generated, so that they are the same in all worlds."""


def improve_library(folder: Path, models: ModelServer, *task_names: str) -> None:
    """Start a loop over the library's tasks, some of which may be named.

    The command does not say which tasks train, check and prove, so the loop's plan has to. The loop
    stops as soon as the plan is recorded, because its time (`--run-time`) is over.
    """
    run = run_in_process(
        "improve",
        *task_names,
        "--benchmark",
        f"folder:{ROOT / 'docs/examples/library'}",
        "--model",
        PLAYER,
        "--with",
        PROPOSER,
        "--hints",
        "hints.txt",
        "--run-time",
        "0.001",
        cwd=folder,
        **environment_for(models.url),
    )
    assert run.code != USAGE_ERROR, run.err


def test_tasks_are_split_if_all_worlds_of_a_benchmark_are_the_same(
    folder: Path, models: ModelServer
) -> None:
    """Other worlds would prove nothing: they are the same. So each of the library's three tasks goes
    to one part of the loop."""
    improve_library(folder, models)

    train, check, final = tasks_of_parts(folder)
    assert sorted([*train, *check, *final]) == LIBRARY_TASKS


def test_named_tasks_train_and_the_others_check_and_prove(
    folder: Path, models: ModelServer
) -> None:
    """`improve overdue-loans` learns from this task. The library has two others."""
    improve_library(folder, models, "overdue-loans")

    train, check, final = tasks_of_parts(folder)
    assert train == ["overdue-loans"]
    assert sorted([*train, *check, *final]) == LIBRARY_TASKS


@pytest.mark.parametrize(
    ("options", "expected_error"),
    [
        pytest.param(
            ("--check", "10-20"),
            "--train and --check share 10",
            id="a world is in two parts",
        ),
        pytest.param(
            ("--edit", "none.py"),
            "--edit none.py: there is no such file or folder",
            id="a file does not exist",
        ),
        pytest.param(
            ("--split", "50/25/25"),
            "--split divides the tasks by itself",
            id="the parts are given as shares and as worlds",
        ),
        pytest.param(
            ("--train", "alder, oak"),
            "no task 'oak'",
            id="a task does not exist",
        ),
    ],
)
def test_a_plan_that_would_prove_nothing_is_refused(
    folder: Path, options: tuple[str, ...], expected_error: str
) -> None:
    """A world or task that is both trained and checked proves nothing. Nothing is played."""
    closed_port = "http://127.0.0.1:9/v1"

    run = run_loop(folder, closed_port, *options)

    assert run.code == USAGE_ERROR
    assert expected_error in run.err
    assert not list((folder / "runs").glob("*/loop.jsonl"))


def test_tasks_are_split_by_shares() -> None:
    """Of eight tasks, one half trains, a quarter checks, and a quarter proves."""
    tasks = [f"t{number}" for number in range(8)]

    train, check, final = split_tasks(tasks, "50/25/25", seed=1)

    assert len(train) == 4
    assert len(check) == 2
    assert len(final) == 2
    assert sorted([*train, *check, *final]) == tasks


@pytest.mark.parametrize(
    "shares",
    [
        pytest.param("50/25/20", id="less than 100 in all"),
        pytest.param("99/1/0", id="an empty part"),
        pytest.param("50/50", id="two parts"),
        pytest.param("a/b/c", id="no numbers"),
    ],
)
def test_shares_that_do_not_divide_all_tasks_are_refused(shares: str) -> None:
    """Right shares are three percentages above 0 that make 100."""
    tasks = [f"t{number}" for number in range(8)]

    with pytest.raises(UsageError, match="cannot be split"):
        split_tasks(tasks, shares, seed=1)


# --- The proof ---


def claims_improvement(folder: Path, number: int, url: str) -> bool:
    """Play a loop with its own hints and seed, and return whether it claims to be better."""
    loop_folder = folder / str(number)
    loop_folder.mkdir()
    (loop_folder / "hints.txt").write_text(f"Loop {number}.\n", encoding="utf-8")

    run = run_loop(loop_folder, url, "--seed", str(number), "--json")

    assert run.code in (OK, NOT_BETTER), run.err
    return bool(run.json["is_better"])


@pytest.mark.heavy
def test_loops_without_an_effect_seldom_claim_one(folder: Path) -> None:
    """Every trial succeeds by chance, whatever the hints say. A loop claims an improvement by a 95 %
    interval. One in 20 such intervals is wrong, half of these in favour of the candidate. So more
    than 2 wrong claims in 20 loops almost never happen."""
    claims = 0
    with model_server(endpoint(luck=0.5, copies_id=False)) as server:
        for number in range(20):
            if claims_improvement(folder, number, server.url):
                claims += 1

    assert claims <= 2


def trial_with(*, score: float, tokens: int) -> TrialSummary:
    """Return an answered trial with this score and these tokens."""
    return TrialSummary(
        "t",
        "a.1",
        score=score,
        state="answered",
        steps_done=3,
        spent=Spent(tokens=tokens, known_usd=0.5),
    )


def test_a_result_has_both_means_the_interval_and_the_change_of_tokens() -> None:
    """The original solves one of two tasks, and the candidate both, with fewer tokens."""
    trials_before = [
        trial_with(score=0.0, tokens=100),
        trial_with(score=1.0, tokens=100),
    ]
    trials_after = [
        trial_with(score=1.0, tokens=88),
        trial_with(score=1.0, tokens=88),
    ]
    difference = Interval(mean=0.5, low=0.01, high=0.93)

    text = result_text(trials_before, trials_after, difference)

    assert text == (
        "0.50 → 1.00 on 2 unseen tasks (+0.50, 95 % CI [0.01, 0.93]), tokens -12 %"
    )


def test_few_tasks_that_all_improve_leave_a_wide_interval() -> None:
    """All of six differences are 1, so that they do not vary. The true mean may be far less."""
    interval = difference_interval([1.0] * 6)

    assert interval.mean == 1.0
    assert 0 < interval.low < 0.5


# --- Proposals: data of single records, and the text of a reply ---
#
# Ids, names and amounts in the records that trials have read belong to one world. A proposal that
# adds such a value to the hints is refused.

HINTS_WITH_AN_ID = {"hints.txt": "Look at VH-POT-12."}
"""The hints before the loop, in which the user has named a record."""


@pytest.fixture
def record_values_of_trials() -> set[str]:
    """The ids, names and amounts in two files that trials have read:
    `{"basket-0123", "Ada Lovelace", "12995", "VH-POT-12", "19.50"}`."""
    record = (
        '{"id": "basket-0123", "owner": {"name": "Ada Lovelace"}, '
        '"cents": 12995, "open": true}'
    )
    table = "sku,price\nVH-POT-12,19.50\n"
    return record_values(record, "/a.json") | record_values(table, "/prices.csv")


def test_values_of_records_are_found_in_a_proposal(
    record_values_of_trials: set[str],
) -> None:
    """They are listed in the order of the proposal. `VH-POT-12` was in the hints before, and the
    words of the last sentence are in no record."""
    proposal = {
        "hints.txt": (
            "Look at VH-POT-12. Ada Lovelace owns `basket-0123`: 12995. "
            "Up to 30 days, by Desk Staff."
        )
    }

    added = added_values(record_values_of_trials, HINTS_WITH_AN_ID, proposal)

    assert added == ["Ada Lovelace", "basket-0123", "12995"]


def test_values_of_records_are_found_in_another_spelling(
    record_values_of_trials: set[str],
) -> None:
    """Upper case, or another sign between the parts of an id, does not hide a copied value."""
    proposal = {"hints.txt": "Look at VH-POT-12. Ask ADA LOVELACE about basket/0123."}

    added = added_values(record_values_of_trials, HINTS_WITH_AN_ID, proposal)

    assert added == ["Ada Lovelace", "basket-0123"]


def test_words_of_documents_are_not_values_of_records() -> None:
    """A document has no records: what it says is the same in every world, so that a hint may repeat
    it."""
    document = "# Refunds\n\nUp to 30 days, by Desk Staff."

    assert record_values(document, "/docs/refunds.md") == set()


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("new\nline", id="without a last line end"),
        pytest.param("\n```md\nnew\nline\n```\n", id="in a code fence"),
        pytest.param("new\nline\n\n", id="with an empty line"),
        pytest.param("new\r\nline\r\n", id="with CRLF"),
    ],
)
def test_the_text_of_a_reply_is_found_in_every_form(reply: str) -> None:
    """The proposer replies with the new text of a file, with or without a code fence around it."""
    assert text_in(reply) == "new\nline\n"


def test_the_text_of_a_reply_can_always_be_written_to_a_file() -> None:
    """A lone surrogate, half of a UTF-16 character, cannot be encoded in UTF-8."""
    text_in("new\nline \ud800").encode()


# --- The files of candidates ---


def test_a_candidate_plays_with_its_own_copy_of_a_file(tmp_path: Path) -> None:
    """The copy is in a folder named by a hash of the texts, and cannot be changed later. The
    settings name it in place of the original, which stays as it is."""
    original = tmp_path / "replies.toml"
    original.write_text("old", encoding="utf-8")
    settings = RunSettings(model=f"scripted:{original}")
    files = edited_files([str(original)], settings)
    candidate_texts = {"replies.toml": "new"}

    own_settings = candidate_settings(
        settings,
        changes={},
        texts=candidate_texts,
        origins=files.origins,
        folder=candidate_folder(tmp_path / "loop", candidate_texts),
    )

    copy = tmp_path / "loop/candidates" / id_of(candidate_texts) / "replies.toml"
    assert own_settings.model == f"scripted:{copy}"
    assert copy.read_text(encoding="utf-8") == "new"
    assert copy.stat().st_mode & 0o777 == 0o444
    assert original.read_text(encoding="utf-8") == "old"


@pytest.fixture
def texts_in_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the working folder have a prompt and hints of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/system.md").write_text("of the folder", encoding="utf-8")
    (tmp_path / "hints.txt").write_text("of the folder", encoding="utf-8")


@pytest.mark.usefixtures("texts_in_working_folder")
def test_files_that_only_lie_in_the_working_folder_are_not_edited() -> None:
    """Without `--edit`, a loop edits the prompts of the product, and hints that are empty."""
    texts = edited_files((), RunSettings(model="m")).texts

    assert texts["hints.txt"] == ""
    assert "of the folder" not in texts["prompts/system.md"]


@pytest.mark.usefixtures("texts_in_working_folder")
def test_files_of_the_working_folder_are_edited_if_they_are_named() -> None:
    """The user names them by `--edit prompts --edit hints.txt`."""
    texts = edited_files(("prompts", "hints.txt"), RunSettings(model="m")).texts

    assert texts == {"prompts/system.md": "of the folder", "hints.txt": "of the folder"}


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    """A candidate has its files in one folder, in which a name is unique."""
    edits: list[str] = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        hints_file = tmp_path / name / "hints.txt"
        hints_file.write_text(name, encoding="utf-8")
        edits.append(str(hints_file))

    with pytest.raises(UsageError, match="two files of one name"):
        edited_files(edits, RunSettings())


# --- Records of loops ---


def test_a_record_that_was_edited_by_hand_is_not_acted_on(
    folder: Path, models: ModelServer
) -> None:
    """A record may name a program to run, so each line carries a mark, a signature with a key
    of the user. Here, someone else puts a program of their own into it.

    The loop may play for a millisecond only. So it stops at once, and could be resumed.
    """
    run_loop(folder, models.url, "--run-time", "0.001")
    record_file = loop_of(folder).folder / "loop.jsonl"
    original_lines = record_file.read_bytes()
    forged_lines = original_lines.replace(
        b'"proposer":"big"', b'"proposer":"command:evil"'
    )
    record_file.write_bytes(forged_lines)

    resumed = run_in_process(
        "resume",
        record_file.parent.name,
        cwd=folder,
        **environment_for(models.url),
    )

    assert resumed.code == USAGE_ERROR
    assert "does not carry your mark" in resumed.err


OLD_TEXTS = {"hints.txt": "old\n"}
NEW_TEXTS = {"hints.txt": "new\n"}


def record_finished_loop(folder: Path, *, hints_file: Path) -> None:
    """Write the record of a loop that improved a file of hints from "old" to "new".

    Its training, check and final tasks are the same: the task `a` in world 1. A world is what a
    benchmark makes of a seed.
    """
    tasks_in_worlds = ((1, "a"),)
    plan = LoopOpened(
        loop=folder.name,
        settings={},
        sources={},
        origins={"hints.txt": str(hints_file)},
        texts=OLD_TEXTS,
        proposer=PROPOSER,
        train=tasks_in_worlds,
        check=tasks_in_worlds,
        final=tasks_in_worlds,
        proposals=1,
        batch=1,
        seed=0,
    )
    record = LoopRecord(folder)
    with record.writing(plan):
        record.append(Proposed(parent=id_of(OLD_TEXTS), texts=NEW_TEXTS))
        record.append(LoopEnded(best=id_of(NEW_TEXTS), is_better=True, text="better"))


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["report", "improve-2", "-o", "page.html"], id="report"),
        pytest.param(["resume", "improve-2"], id="resume"),
    ],
)
def test_the_record_of_another_loop_is_refused(
    command: list[str], tmp_path: Path
) -> None:
    """The folder of a loop has the loop's id for a name. This one was renamed."""
    runs = tmp_path / "runs"
    record_finished_loop(runs / "improve-1", hints_file=tmp_path / "hints.txt")
    (runs / "improve-1").rename(runs / "improve-2")

    result = run_in_process(*command, cwd=tmp_path)

    assert result.code == USAGE_ERROR
    assert "another loop, improve-1" in result.err


@dataclass(frozen=True)
class AppliedLoop:
    """A loop whose result is applied by a command that is called in another folder."""

    runs: Path
    hints_file: Path
    """The file that the loop improved, with the text from before the loop."""
    other_hints_file: Path
    """A file of the same name in the folder in which the command is called."""

    def apply(self) -> CommandResult:
        """Call the command that writes the loop's result into the user's file."""
        return run_in_process(
            "improve",
            "apply",
            "improve-1",
            "--apply",
            "--runs-dir",
            self.runs,
            cwd=self.other_hints_file.parent,
        )


@pytest.fixture
def applied_loop(tmp_path: Path) -> AppliedLoop:
    """A loop that improved `here/hints.txt`, and a folder `elsewhere` with a file of the same
    name."""
    for folder_name in ("here", "elsewhere"):
        (tmp_path / folder_name).mkdir()
        (tmp_path / folder_name / "hints.txt").write_text("old\n")
    hints_file = tmp_path / "here/hints.txt"
    runs = tmp_path / "runs"
    record_finished_loop(runs / "improve-1", hints_file=hints_file)
    return AppliedLoop(
        runs=runs,
        hints_file=hints_file,
        other_hints_file=tmp_path / "elsewhere/hints.txt",
    )


def test_a_result_is_applied_to_the_file_that_the_loop_improved(
    applied_loop: AppliedLoop,
) -> None:
    """`improve apply` is called in another folder, which has a file of the same name."""
    result = applied_loop.apply()

    assert result.code == OK
    assert applied_loop.hints_file.read_text() == "new\n"
    assert applied_loop.other_hints_file.read_text() == "old\n"


def test_a_result_is_not_applied_over_later_edits(applied_loop: AppliedLoop) -> None:
    """The error shows the user's edit."""
    applied_loop.hints_file.write_text("edited by hand\n")

    result = applied_loop.apply()

    assert result.code == USAGE_ERROR
    assert "+edited by hand" in result.err
    assert applied_loop.hints_file.read_text() == "edited by hand\n"

"""A loop of `improve` plans its tasks, tries candidates, and claims only what its scores show.

Training, check and final tasks are split by the user or the program, and do not share a world.
Only named files are edited, each candidate has its own copies, and copied values of records are
found out. A loop that is interrupted, or cannot gain, says so. A result is applied unless the file
was edited later.
"""

import sys
from pathlib import Path

import pytest

from controlplane import TaskTry
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Interrupted, UsageError
from controlplane.improving import loop as candidate_runs
from controlplane.improving.loop import (
    candidate_folder,
    candidate_settings,
    difference_interval,
    result_text,
)
from controlplane.improving.loop_plan import split_tasks
from controlplane.improving.loop_record import (
    LoopEnded,
    LoopOpened,
    LoopRecord,
    Proposed,
    edited_files,
    id_of,
)
from controlplane.improving.proposing import added_values, record_values, text_in
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.totals.trial_summary import Spent, TrialSummary
from controlplane.lifecycle.conducting import RunScreen, conduct
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.score_statistics import Interval
from controlplane.view.progress import SILENT
from tests.controlplane.improving.riddle_models import (
    LOOK_AGAIN,
    PLAYER,
    PROPOSER,
    RiddleLoop,
    RiddleModels,
    solved_by_chance,
)
from tests.support.command import run_in_process
from tests.support.phonebook_model import model_server
from tests.support.product_files import ROOT

# The record of a finished loop, which improved a file of hints from "old" to "new".


def record_finished_loop(folder: Path, *, hints_file: Path) -> None:
    """Write the record of a loop to a folder, as `runs/improve-1/loop.jsonl` has it.

    The loop played the task `a` in world 1, a world being what a benchmark makes of a seed.
    """
    old_texts = {"hints.txt": "old\n"}
    new_texts = {"hints.txt": "new\n"}
    task_in_world = (1, "a")
    plan = LoopOpened(
        loop=folder.name,
        settings={},
        sources={},
        origins={"hints.txt": str(hints_file)},
        texts=old_texts,
        proposer="big",
        train=(task_in_world,),
        check=(task_in_world,),
        final=(task_in_world,),
        proposals=1,
        batch=1,
        seed=0,
    )
    record = LoopRecord(folder)
    with record.writing(plan):
        record.append(Proposed(parent=id_of(old_texts), texts=new_texts))
        record.append(LoopEnded(best=id_of(new_texts), is_better=True, text="better"))


# The tasks of the three parts of a loop: training, check and final tasks.
#
# For example:
#
#     tasks_of_parts(loop)    ->    [["alder.1", "elm.1"], ["birch.1", "cedar.1"], ["dogwood.1", "fir.1"]]


def tasks_of_parts(loop: RiddleLoop) -> list[list[str]]:
    """Return the tasks of the loop's training, check and final part, in this order."""
    plan = loop.record.plan
    parts: list[list[str]] = []
    for part in (plan.train, plan.check, plan.final):
        parts.append([task for _world, task in part])
    return parts


# A program of the user that proposes changes, and hints with which all riddles are solved.
#
# For example:
#
#     write_proposer(loop, "print('hello')")    ->    "command:/usr/bin/python3 /tmp/.../agent.py"


def write_proposer(loop: RiddleLoop, program: str) -> str:
    """Write the program of a proposer, and return the value of `--with` for it."""
    path = loop.folder / "agent.py"
    path.write_text(program, encoding="utf-8")
    return f"command:{sys.executable} {path}"


BETTER_HINTS = "Read the record twice.\nName the code alone.\nKeep the letter case.\n"
"""Hints with which the player solves all riddles."""


# A loop of `improve` edits files of the working folder only if they are named.
#
#     improve --edit prompts --edit hints.txt
#
# Without `--edit`, it edits the prompts of the product, and hints that are empty.


@pytest.fixture
def texts_in_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the working folder have a prompt and hints of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/system.md").write_text("of the folder", encoding="utf-8")
    (tmp_path / "hints.txt").write_text("of the folder", encoding="utf-8")


@pytest.mark.usefixtures("texts_in_working_folder")
def test_files_that_only_lie_in_the_working_folder_are_not_edited() -> None:
    texts = edited_files((), RunSettings(model="m")).texts

    assert texts["hints.txt"] == ""
    assert "of the folder" not in texts["prompts/system.md"]


@pytest.mark.usefixtures("texts_in_working_folder")
def test_files_of_the_working_folder_are_edited_if_they_are_named() -> None:
    """The user names them by `--edit prompts --edit hints.txt`."""
    texts = edited_files(("prompts", "hints.txt"), RunSettings(model="m")).texts

    assert texts == {"prompts/system.md": "of the folder", "hints.txt": "of the folder"}


# Each candidate of a loop of `improve` plays with its own copies of the edited files.
#
# A candidate is a set of new texts for the files that `--edit` lists. It gets a folder named by a hash of
# the texts: `loop/candidates/3fa9/hints.txt`. Its runs use these files in place of the user's.


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


# The user says which tasks of a loop of `improve` are training, check and final tasks.
#
# A loop shows training tasks to the model that proposes hints, chooses the best hints by check tasks,
# and proves by final tasks that these hints are better. The tasks are six riddles: alder, birch,
# cedar, dogwood, elm and fir.

TASKS_BY_NAME = (
    "--train",
    "alder, elm",
    "--check",
    "birch,cedar",
    "--final",
    "dogwood,fir",
)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("--split", "34/33/33"), id="percentages of the tasks"),
        pytest.param(TASKS_BY_NAME, id="names of tasks"),
    ],
)
def test_each_part_of_a_loop_has_tasks_of_its_own(
    loop: RiddleLoop, options: tuple[str, ...]
) -> None:
    """Six tasks make three parts of two. The plan is made before the only proposal."""
    run = loop.improve("--json", "--proposals", "1", parts=options)

    train, check, final = tasks_of_parts(loop)
    assert len(train) == 2
    assert len(check) == 2
    assert len(final) == 2
    assert len({*train, *check, *final}) == 6
    not_proven = 1  # Two final tasks are too few to prove an improvement.
    assert run.code == not_proven


# A loop of `improve` plans by itself for a benchmark whose worlds are all the same, the library.
#
# Other worlds would prove nothing. So its three tasks, foreign-reader, overdue-loans and renewed-loan, are
# divided: one trains, one checks, and one proves that the result is better.

LIBRARY_TASKS = ["foreign-reader", "overdue-loans", "renewed-loan"]
"""The tasks of the library, a benchmark in `docs/examples`. Its files are written down, not
generated, so that they are the same in all worlds."""


def plan_library_loop(loop: RiddleLoop, *task_names: str) -> None:
    """Let `improve` plan a loop over the library's tasks, some of which may be named.

    The loop stops as soon as the plan is recorded, because its time (`--run-time`) is over.
    """
    run = loop.command(
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
    )
    assert run.code != UsageError.exit_code, run.err


def test_tasks_are_split_if_all_worlds_of_a_benchmark_are_the_same(
    loop: RiddleLoop,
) -> None:
    """Other worlds would prove nothing: they are the same. So each of the library's three tasks
    goes to one part of the loop."""
    plan_library_loop(loop)

    train, check, final = tasks_of_parts(loop)
    assert sorted([*train, *check, *final]) == LIBRARY_TASKS


def test_named_tasks_train_and_the_others_check_and_prove(loop: RiddleLoop) -> None:
    """`improve overdue-loans` learns from this task. The library has two others."""
    plan_library_loop(loop, "overdue-loans")

    train, check, final = tasks_of_parts(loop)
    assert train == ["overdue-loans"]
    assert sorted([*train, *check, *final]) == LIBRARY_TASKS


# `improve --split 50/25/25`: a half of the tasks trains, a quarter checks, and a quarter proves.
#
# `split_tasks(tasks, "50/25/25", seed=1)` returns the three parts; the seed decides which task goes where.

EIGHT_TASKS = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"]


def test_tasks_are_split_by_shares() -> None:
    """Of eight tasks, four train, two check, and two prove."""
    train, check, final = split_tasks(EIGHT_TASKS, "50/25/25", seed=1)

    assert len(train) == 4
    assert len(check) == 2
    assert len(final) == 2
    assert sorted([*train, *check, *final]) == EIGHT_TASKS


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
    with pytest.raises(UsageError, match="cannot be split"):
        split_tasks(EIGHT_TASKS, shares, seed=1)


# A plan of `improve` whose parts share a world, or that names what does not exist, is refused.
#
# By default, all parts have the same six tasks, and differ in their worlds (seeds):
#
#     --train 1-11 --check 10-20 --final 201-212    ->    --train and --check share 10

WORLDS_OF_TRAINING = ("--train", "1-11")


ALL_WORLDS = (*WORLDS_OF_TRAINING, "--check", "101-106", "--final", "201-212")


@pytest.mark.parametrize(
    ("options", "expected_error"),
    [
        pytest.param(
            (*WORLDS_OF_TRAINING, "--check", "10-20", "--final", "201-212"),
            "--train and --check share 10",
            id="a world is in two parts",
        ),
        pytest.param(
            (*ALL_WORLDS, "--edit", "none.py"),
            "--edit none.py: there is no such file or folder",
            id="a file does not exist",
        ),
        pytest.param(
            (*ALL_WORLDS, "--split", "50/25/25"),
            "--split divides the tasks by itself",
            id="the parts are given as shares and as worlds",
        ),
        pytest.param(
            ("--train", "alder, oak", "--check", "101-106", "--final", "201-212"),
            "no task 'oak'",
            id="a task does not exist",
        ),
    ],
)
def test_a_plan_with_a_mistake_is_refused(
    options: tuple[str, ...], expected_error: str, loop: RiddleLoop
) -> None:
    """Nothing is played or recorded."""
    run = loop.improve(parts=options)

    assert run.code == UsageError.exit_code
    assert expected_error in run.err
    assert loop.server.asked == []
    assert not list((loop.folder / "runs").glob("*/loop.jsonl"))


# A program of the user proposes hints: `improve --with "command:python agent.py"`.
#
# It is started in a folder with copies of the files that `--edit` lists, and with a report of the failed
# trials. The texts that it leaves in these files are the next candidate. `loop` is a loop over riddles,
# whose file hints.txt does not yet have what helps.

FEW_WORLDS = ("--train", "1-4", "--check", "101-103", "--final", "201-208")
"""As few final worlds as can still prove that hints are better, and a few others."""


def test_a_program_proposes_changes_of_listed_files_only(loop: RiddleLoop) -> None:
    """The program also writes a file that `--edit` does not list; a candidate has no such
    file."""
    proposer = write_proposer(
        loop,
        f"""
import pathlib
pathlib.Path('hints.txt').write_text({BETTER_HINTS!r})
pathlib.Path('other.txt').write_text('not listed')
""",
    )

    run = loop.improve("--json", proposer=proposer, parts=FEW_WORLDS)

    assert run.json["is_better"], run.err
    best_candidate = loop.record.folder / "candidates" / run.json["best"]
    assert [path.name for path in best_candidate.iterdir()] == ["hints.txt"]


def test_a_program_gets_a_report_of_failed_trials(loop: RiddleLoop) -> None:
    """The report is a table and a text. The program asserts that the text has the trace of each
    row; if it failed, it would propose nothing."""
    proposer = write_proposer(
        loop,
        f"""
import json, pathlib
rows = json.loads(pathlib.Path('failures/report.json').read_text())
report = pathlib.Path('failures/report.md').read_text()
assert rows and all(row['trace'] in report for row in rows)
pathlib.Path('hints.txt').write_text({BETTER_HINTS!r})
""",
    )

    run = loop.improve("--json", proposer=proposer, parts=FEW_WORLDS)

    assert run.json["is_better"], run.err


# A program of the user edits a module with rules for answers, in place of hints.
#
#     improve --with "command:python agent.py" --rule-sets own_rules:RULE_SET
#
# The rules before the loop let every answer pass. The better ones send the answer "unknown" back to the
# model, which then solves the riddle.

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
"""A rule that sends the answer "unknown" back to the model, and tells it to look again. Then the model
solves the riddle."""


@pytest.mark.second_tier
def test_a_module_of_the_user_is_edited_and_each_candidate_plays_with_its_own(
    loop: RiddleLoop,
) -> None:
    """The program replaces the module of the user's rules by one with the better rule."""
    rules_file = loop.folder / "own_rules.py"
    rules_file.write_text(USELESS_RULES, encoding="utf-8")
    proposer = write_proposer(
        loop,
        f"""
import pathlib
pathlib.Path('own_rules.py').write_text({BETTER_RULES!r})
""",
    )

    run = loop.improve(
        "--rule-sets",
        "own_rules:RULE_SET",
        "--json",
        proposer=proposer,
        edited_file="own_rules.py",
    )

    assert run.json["is_better"] is True, run.err
    # "0.33 → 1.00 on 12 unseen tasks": the score before the loop, and with the better rules.
    assert "→ 1.00" in run.json["text"]


# Loops of `improve` without an effect seldom claim one.
#
# The hints before the loop and the best candidate play the same final tasks. The loop claims an
# improvement if the 95 % interval of the difference of their scores is above 0. Here every trial succeeds
# by chance, whatever the hints say.


def claims_improvement(loop: RiddleLoop, number: int) -> bool:
    """Run a loop with its own hints and seed, and return whether it claims to be better."""
    loop.folder.mkdir()
    hints_file = loop.folder / "hints.txt"
    hints_file.write_text(f"Loop {number}.\n", encoding="utf-8")

    run = loop.improve("--seed", str(number), "--json")

    assert run.code in (0, 1), run.err
    return bool(run.json["is_better"])


@pytest.mark.heavy
def test_loops_without_an_effect_seldom_claim_one(tmp_path: Path) -> None:
    """Every trial succeeds by chance, whatever the hints say. One in 20 intervals of 95 % is wrong,
    half of these in favour of the candidate. So more than 2 wrong claims in 20 loops almost never
    happen."""
    claims = 0
    with model_server(RiddleModels(solved_by_chance, copies_id=False)) as server:
        for number in range(20):
            loop = RiddleLoop(tmp_path / str(number), server)
            if claims_improvement(loop, number):
                claims += 1

    assert claims <= 2


# The result of a loop of `improve` has both scores, and the interval of their difference.
#
#     0.50 → 1.00 on 2 unseen tasks (+0.50, 95 % CI [0.01, 0.93]), tokens -12 %
#
# The hints before the loop and the best candidate play the same final tasks.


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


# A proposal of new hints that copies values of records is found out.
#
# Ids, names and amounts in the records that trials have read belong to one world. "Look at basket-0123." is
# of no use in another world, so such a proposal is refused. VH-POT-12 was in the hints before.

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
    """They are listed in the order of the proposal. `VH-POT-12` was in the hints before, and
    the words of the last sentence are in no record."""
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
    """A document has no records: what it says is the same in every world, so that a hint may
    repeat it."""
    document = "# Refunds\n\nUp to 30 days, by Desk Staff."

    assert record_values(document, "/docs/refunds.md") == set()


# A model, the proposer of `improve`, replies with the new text of a file of hints.
#
# The text may be in a code fence, or without a last line end:
#
#     "new\nline"    ->    "new\nline\n"


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
    """The proposer replies with the new text of a file, with or without a code fence around
    it."""
    assert text_in(reply) == "new\nline\n"


def test_the_text_of_a_reply_can_always_be_written_to_a_file() -> None:
    """A lone surrogate, half of a UTF-16 character, cannot be encoded in UTF-8."""
    text_in("new\nline \ud800").encode()


# `improve apply` writes the result of a loop, "new", into the file that was "old".
#
# The record of the loop has both texts, and the path of the file that the loop improved.


def test_a_result_is_applied_to_the_file_that_the_loop_improved(tmp_path: Path) -> None:
    """The command is called in another folder, which has a file of the same name."""
    for folder_name in ("here", "elsewhere"):
        (tmp_path / folder_name).mkdir()
        (tmp_path / folder_name / "hints.txt").write_text("old\n")
    runs = tmp_path / "runs"
    record_finished_loop(runs / "improve-1", hints_file=tmp_path / "here/hints.txt")

    apply = ("improve", "apply", "improve-1", "--apply", "--runs-dir", runs)
    result = run_in_process(*apply, cwd=tmp_path / "elsewhere")

    assert result.code == 0
    assert (tmp_path / "here/hints.txt").read_text() == "new\n"
    assert (tmp_path / "elsewhere/hints.txt").read_text() == "old\n"


def test_a_result_is_not_applied_over_later_edits(tmp_path: Path) -> None:
    """The loop began with the text "old". The error shows the user's edit."""
    hints_file = tmp_path / "hints.txt"
    record_finished_loop(tmp_path / "runs/improve-1", hints_file=hints_file)
    hints_file.write_text("edited by hand\n")

    apply = ("improve", "apply", "improve-1", "--apply")
    result = run_in_process(*apply, cwd=tmp_path)

    assert result.code == UsageError.exit_code
    assert "+edited by hand" in result.err
    assert hints_file.read_text() == "edited by hand\n"


# The record of a loop is not acted on if somebody else edited it, or if it is that of another loop.
#
# `controlplane improve` records its loop in `runs/improve-1/loop.jsonl`. `resume` starts the program that
# the record names as *proposer*, which proposes new hints. So each line carries the user's *mark*: a
# signature with a key that only this user has.


def test_a_record_that_was_edited_by_hand_is_not_acted_on(loop: RiddleLoop) -> None:
    """`resume` would start the program `evil`. The line still has the mark of what it was before."""
    # A loop that may run for a millisecond stops at its beginning, and can be resumed.
    loop.improve("--run-time", "0.001")
    record_file = loop.record.folder / "loop.jsonl"
    original = record_file.read_text()
    assert '"proposer":"big"' in original  # the name of a model
    edited = original.replace('"proposer":"big"', '"proposer":"command:evil"')
    record_file.write_text(edited)

    resumed = loop.command("resume", record_file.parent.name)

    assert resumed.code == UsageError.exit_code
    assert "does not carry your mark" in resumed.err


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

    assert result.code == UsageError.exit_code
    assert "another loop, improve-1" in result.err


# An interrupt of a loop of `improve` comes when one of its runs has just ended.
#
# A loop plays a run for each candidate. The next one must not start.


def test_an_interrupt_stops_the_loop_even_if_its_run_has_just_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user presses Ctrl-C while the last trial of the run ends. The run is complete and reports
    no error; the loop must stop all the same."""

    def conduct_until_interrupt(run: Run, screen: RunScreen) -> int:
        code = conduct(run, screen)
        run.controls.interrupted.set()
        return code

    monkeypatch.setattr(candidate_runs, "conduct", conduct_until_interrupt)
    (tmp_path / "replies.toml").write_text(
        """
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "17", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "17")
'''
"""
    )
    settings = RunSettings(
        benchmark="tests.support.phonebook",
        model=f"scripted:{tmp_path / 'replies.toml'}",
        runs_dir=str(tmp_path),
    )
    tries = (TaskTry("ada", number=0),)
    plan = RunPlan(RunSpec(settings), tries=tries, run_id="r1")

    with pytest.raises(Interrupted):
        candidate_runs.conduct_run(plan, SILENT)

    with open_journal(tmp_path / "r1.jsonl") as journal:
        assert journal.summary.submitted
        assert journal.summary.trials.mean_score == 1.0


# A loop that ends before its first proposal says why.
#
# The hints of the test solve the riddles fir, and alder's only if they are mended.


def test_a_loop_with_nothing_to_gain_on_its_check_worlds_says_so(
    loop: RiddleLoop,
) -> None:
    parts = ("--train", "alder,cedar", "--check", "fir", "--final", "birch,elm")

    run = loop.improve(parts=parts)

    assert run.code == 1
    assert (
        "nothing was proposed: the original has the best score on 1 check world, so"
        in run.out
    )


def test_a_loop_without_a_failure_to_learn_from_says_so(loop: RiddleLoop) -> None:
    parts = ("--train", "fir", "--check", "alder", "--final", "birch,elm")

    run = loop.improve(parts=parts)

    assert run.code == 1
    assert "nothing was proposed: no trial failed on the training worlds" in run.out

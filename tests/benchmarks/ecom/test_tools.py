"""The embedded shop benchmark: its trials and runs end once, and its tools check their calls.

A trial starts from its id in any process, and takes one answer. A run has a score after it was
submitted. Lazy tricks score nothing, and no truth is in the process that scripts run in. Each shop
states its rates on a page. A tool refuses wrong calls with a code and a line, and only what a tool
prints of a file counts as read.
"""

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from statistics import mean
from typing import NamedTuple
from unittest import mock

import pytest

import controlplane.benchmarks.ecom
from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    RunRequest,
    RunState,
    StartedRun,
    TaskSelection,
    TaskTry,
    Trial,
    start_selected_run,
)
from controlplane.agent.evidence import Environment, new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.benchmarks.ecom.ecom_benchmark import (
    EcomBenchmark,
    EcomTrialId,
    open_benchmark,
)
from controlplane.benchmarks.ecom.records_sql import fixed_time_database
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import (
    FAMILIES,
    generate_task,
    is_task_id,
    task_ids,
)
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, WorldTask
from controlplane.benchmarks.ecom.world.company import DispatchRates
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.names import (
    KNOWN,
    PLAYED,
    UNSEEN,
    WorldSettings,
)
from controlplane.benchmarks.ecom.world.pages import DISPATCH
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.sandbox.interface import CallError, Plain, bounds
from controlplane.sandbox.interface.outcomes import DENIED
from tests.benchmarks.ecom.numbers.number_leaks import (
    Leak,
    Numbers,
    leaks,
    numbers_in,
    numbers_in_texts,
    tree_of,
)
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Mistakes,
    acts_restores_and_refuses,
    answer_with,
    cites_too,
    reference_of,
)
from tests.benchmarks.ecom.variants import (
    family_of_variant,
    generate_variant,
    variant_ids,
)
from tests.benchmarks.shop.functions.goods_records import branch, tarp, written_shop
from tests.support.command import run_python
from tests.support.shop.request_flags import task_and_environment
from tests.support.single_trial import function_result

# The numbers of the generator of shops, of the code for agents, and of the shops' pages.
#
# A test compares them: the code for agents must not have a number that only the generator may know.
#
# numbers_of_worlds().unusual    # {0.85, 650, ...}, in the code that generates shops (worlds)
# numbers_of_players().anywhere  # {0.85, 2027, ...}, in the code and prompts for agents (players)
# numbers_on_pages()             # {650, ...}, which any agent may read
#
# `unusual` has the numbers in code that nobody writes by chance, and `anywhere` all numbers, in texts
# too.

ECOM = Path(controlplane.benchmarks.ecom.__file__).parent
PACKAGE = ECOM.parent.parent


def numbers_of_worlds() -> Numbers:
    """Return the numbers in the code that generates worlds, and grades what is done in them."""
    trees = []
    for pattern in ("tasks/**/*.py", "world/**/*.py", "world/company.json"):
        for path in ECOM.glob(pattern):
            trees.append(tree_of(path))
    assert len(trees) > 20  # The files were found.
    return numbers_in(trees)


def numbers_of_players() -> Numbers:
    """Return the numbers in the functions, rules and prompts for agents."""
    paths = [ECOM / "shop_environment.py", ECOM / "player_scripts.txt"]
    for folder in ("benchmarks/shop", "gates", "prompts"):
        paths += (PACKAGE / folder).rglob("*")

    trees = []
    texts = []
    for path in paths:
        if path.suffix == ".py":
            trees.append(tree_of(path))
        elif path.suffix in (".md", ".txt"):
            texts.append(path.read_text("utf-8"))
    assert len(trees) + len(texts) > 20  # The files were found.
    return numbers_in(trees, texts)


def numbers_on_pages() -> set[float]:
    """Return the numbers that the pages of every world show, where any agent may read them.

    Eight worlds stand for all: hard ones and others, of both sets of wordings.
    """
    numbers_of_each_world = []
    for seed in range(8):
        settings = WorldSettings(
            profile="hard" if seed % 2 else "prod",
            wordings=UNSEEN if seed % 3 else KNOWN,
        )
        workspace = workspace_of(generate(f"numbers {seed}", settings))
        pages = []
        for path, text in workspace.files.items():
            if path.casefold().endswith(".md"):
                pages.append(text)
        numbers_of_each_world.append(numbers_in_texts(pages))
    return set.intersection(*numbers_of_each_world)


# Runs of the embedded benchmark `ecom` without an agent: a test starts, answers and ends the trials.
#
# benchmark = open_ecom()
# run = start_run_of(benchmark, "stock-count.1")
# trial = benchmark.start_trial(run.trials[0].trial_id)
# answer_rightly(trial)
# benchmark.end_trial(trial.trial_id).score  # 1.0


def open_ecom(**settings: str) -> Benchmark:
    """Open the benchmark as a new process does. `policy="blind"` hides scores until a run ends."""
    return open_benchmark("", settings, BenchmarkContext()).benchmark


def start_run_of(benchmark: Benchmark, task_id: str, *, seed: int = 0) -> StartedRun:
    """Start a run with one trial, which `benchmark.start_trial` begins."""
    selection = TaskSelection(names=(task_id,))
    return start_selected_run(benchmark, selection, name="a run", seed=seed)


def answer_rightly(trial: Trial) -> None:
    """Make the changes of the task's reference solution, and give its answer."""
    trial_id = EcomTrialId.parse(trial.trial_id)
    assert trial_id is not None
    truth = generate_task(trial.task_id, trial_id.world_seed, PLAYED).truth
    answer_with(reference_of(truth.family), trial.environment, truth)


def closed_run(benchmark: Benchmark) -> StartedRun:
    """Start a run of one trial, and submit it at once, which closes it."""
    run = start_run_of(benchmark, "stock-count.1")
    benchmark.submit_run(run.run_id, force=True)
    return run


# Tricks by which a lazy agent might satisfy a careless grader of the shop's tasks.
#
# A *truth* says what the right answer to a task is. Each trick is a solution that does all that the truth
# demands, and something more that must cost the score:
#
#     cheap_mistakes(task)  # {"cites every page": cites_too("/docs/security.md", ...), ...}


def cheap_mistakes(task: WorldTask) -> Mistakes:
    """Return mistakes by which a lazy agent might satisfy a careless grader.

    The answers are right except for one trick: one cites every page, in case one is demanded.
    """
    truth = task.truth
    pages = task.world.names.pages.values()
    tools = ("/bin/checkout", "/bin/discount", "/bin/refund")
    # If nothing must be cited, `#anything` is added to the path of a tool that each shop has.
    paths = [*truth.must_cite, *truth.must_cite_pages] or ["/bin/id"]
    mistakes: Mistakes = {
        "cites every page": cites_too(*pages),
        "cites every tool": cites_too(*tools),
        "cites #anything": cites_too(*(f"{path}#anything" for path in paths)),
    }
    if is_denied_basket(truth):
        mistakes["acts, restores, refuses"] = acts_restores_and_refuses
    return mistakes


def is_denied_basket(truth: TaskTruth) -> bool:
    """Return True if the request is about a basket that is not the asker's, and must be denied.

    `truth.for_tests` has the path of that basket: `{"basket": "/proc/carts/basket-0012.json"}`.
    A denied discount is about the asker's own basket, of which it has the id: `basket-0012`.
    """
    has_basket_path = truth.for_tests.get("basket", "").endswith(".json")
    return truth.outcome == DENIED and has_basket_path


# Which files count as read after a script has run a tool of the shop: those that the tool prints.
#
# files_read_by("cat", "/a.md")                       # {"/a.md"}
# files_read_by("cat", "-", "/a.md", stdin="words")   # set()
#
# In the second call, `cat` prints "words" first, which the script has put in, and then the file. So the
# output may be the script's own words, and no file counts as read.

BRANCH = "/proc/branches/store-1.json"


def files_read_by(tool: str, *arguments: str, stdin: str = "") -> set[str]:
    """Run a tool as a script does, in a shop with /a.md and a branch. Return the files that count as
    read.

    The tool must succeed. Its own file, such as `/bin/cat`, is left out.
    """
    shop = written_shop(
        {"/a.md": "a page", BRANCH: branch("store-1", "Graz", {"TARP-SAND": 4})}
    )
    # A recorder makes the calls of a trial, one attempt of an agent at a task, and notes what they
    # have read. An empty tape means that the trial repeats no earlier one.
    recorder = new_recorder(
        trial_id="t", environment=shop, emit=lambda event: None, tape=Tape()
    )
    recorder.step_log.begin(number=1)

    result = recorder.calls.make(
        "exec", {"path": f"/bin/{tool}", "args": list(arguments), "stdin": stdin}
    )
    assert result["exit_code"] == 0

    paths_read_or_run = recorder.evidence_log.view().accesses.keys()
    return paths_read_or_run - {f"/bin/{tool}"}


# Runs a tool of a shop, as a script does by the operation `exec`.
#
# run_tool(shop, "cat", "/a.md")  # ToolResult(out="a page", err="", code=0)


class ToolResult(NamedTuple):
    """What a tool printed, and its exit code."""

    out: str
    err: str
    code: int


def run_tool(
    shop: EcomEnvironment, name: str, *arguments: str, stdin: str = ""
) -> ToolResult:
    """Run a tool, which reads `stdin` as its standard input."""
    result = shop.call(
        "exec", {"path": f"/bin/{name}", "args": list(arguments), "stdin": stdin}
    )
    return ToolResult(
        out=str(result["stdout"]),
        err=str(result["stderr"]),
        code=int(str(result["exit_code"])),
    )


# Tricks by which a lazy agent might satisfy a careless grader of the shop's tasks. Each scores 0.
#
#     cites every page           the right answer, with all pages cited, in case one is demanded
#     cites every tool           the same, with all tools cited
#     cites #anything            the same, with a part that does not exist: /docs/returns.md#anything
#     acts, restores, refuses    does what is forbidden, looks at the result, undoes it, and denies
#
# Not every task allows each trick.


def test_a_cheap_trick_costs_the_whole_score() -> None:
    every_fourth_task = task_ids()[3::4]  # All 100 tasks would take too long.
    tried_tricks = set()
    for seed in ("cheap|0", "cheap|1"):
        for task_id in every_fourth_task:
            task = generate_task(task_id, seed)
            for name, trick in cheap_mistakes(task).items():
                shop = EcomEnvironment(workspace_of(task.world))
                answer_with(trick, shop, task.truth)
                assert grade(task.truth, shop).score == 0.0, (name, task.instruction)
                tried_tricks.add(name)

    assert tried_tricks == {
        "acts, restores, refuses",
        "cites every page",
        "cites every tool",
        "cites #anything",
    }


# A trial in the shop ends with one answer. Then it is closed, and its shop with it.
#
# A trial is one try of a task. An agent that could answer, or call, once more might try until it is right.


def test_a_second_answer_is_refused_and_the_first_one_stays() -> None:
    shop = written_shop({})
    shop.answer("first", "OUTCOME_OK", ["/AGENTS.MD"])

    with pytest.raises(CallError) as refusal:
        shop.answer("second", "OUTCOME_OK", [])

    assert refusal.value.code == "already_exists"
    assert shop.submission is not None
    assert shop.submission.message == "first"


def test_no_call_is_possible_after_the_end() -> None:
    shop = written_shop({})
    shop.answer("first", "OUTCOME_OK", ["/AGENTS.MD"])

    shop.close()

    with pytest.raises(CallError, match="has ended"):
        shop.call("list", {})


def test_no_answer_is_possible_after_the_end() -> None:
    shop = written_shop({})

    shop.close()

    with pytest.raises(CallError, match="has ended"):
        shop.answer("first", "OUTCOME_OK", [])


# The rates of dispatch, which every shop of the benchmark has for itself and states on a page.
#
# A dispatch task asks by which lanes (roads between branches) packages are sent. Rates say how often
# a lane is late and by how much, and what lateness costs:
#
#     | often | 21 % of trips |
#     | short | 1 to 2 time units |
#     | late | EUR 4.40 per time unit |


def test_the_table_of_rates_has_a_row_for_every_rate() -> None:
    rates = DispatchRates(
        delayed_percent={"unlikely": 7, "often": 21},
        delay_units={"short": (1, 2), "long": (4, 12)},
        late_cents=440,
        missed_cents=7000,
    )

    assert rates.table() == (
        "| word | rate |\n"
        "| --- | --- |\n"
        "| unlikely | 7 % of trips |\n"
        "| often | 21 % of trips |\n"
        "| short | 1 to 2 time units |\n"
        "| long | 4 to 12 time units |\n"
        "| late | EUR 4.40 per time unit |\n"
        "| missed | EUR 70.00 per package |"
    )


@pytest.mark.parametrize("wordings", [KNOWN, UNSEEN])
def test_the_page_on_dispatch_has_the_table_of_its_worlds_rates(wordings: str) -> None:
    """The sentences around the table are of one of two sets of wordings."""
    for seed in range(12):
        world = generate(f"rates {seed}", WorldSettings(wordings=wordings))

        page = workspace_of(world).files[world.names.pages[DISPATCH]]

        assert world.policy.rates.table() in page


@pytest.mark.parametrize("wordings", [KNOWN, UNSEEN])
def test_every_world_has_other_rates(wordings: str) -> None:
    """No two of twelve worlds agree in the price of lateness and in all shares of late trips."""
    rates_of_worlds = set()
    for seed in range(12):
        rates = generate(f"rates {seed}", WorldSettings(wordings=wordings)).policy.rates
        rates_of_worlds.add((rates.late_cents, *rates.delayed_percent.values()))

    assert len(rates_of_worlds) == 12


# A trial of the embedded shop benchmark, `ecom`, starts from its id, in any process, and ends once.
#
# A trial is one try of a task. Its id has the task and the seed by which the shop is generated:
# `stock-count.1-r0-s-3-...`. When it has ended, it has a score, and nothing can be done in it any more.


def test_a_trial_starts_from_its_id_in_another_process() -> None:
    """The id has the seed of the run, `stock-count.1-r0-s-3-...`, by which the world is generated. A
    second benchmark, which knows nothing of the run, stands for the other process."""
    run = start_run_of(open_ecom(), "stock-count.1", seed=-3)
    trial_id = run.trials[0].trial_id

    other_process = open_ecom()
    trial = other_process.start_trial(trial_id)
    answer_rightly(trial)
    ended = other_process.end_trial(trial_id)

    assert ended is not None
    assert ended.score == 1.0


def test_an_ended_trial_does_not_start_again() -> None:
    """Otherwise, an agent could try again after it has seen its score."""
    benchmark = open_ecom()
    run = start_run_of(benchmark, "stock-count.1")
    trial_id = run.trials[0].trial_id
    benchmark.start_trial(trial_id)
    benchmark.end_trial(trial_id)

    with pytest.raises(BenchmarkError, match="ended already"):
        benchmark.start_trial(trial_id)


def test_the_environment_of_an_ended_trial_is_closed() -> None:
    """Otherwise, an agent could go on after it has seen its score."""
    benchmark = open_ecom()
    run = start_run_of(benchmark, "stock-count.1")
    trial = benchmark.start_trial(run.trials[0].trial_id)
    benchmark.end_trial(trial.trial_id)

    with pytest.raises(CallError, match="has ended"):
        trial.environment.call("list", {})


# A benchmark in a server forgets the oldest closed runs, or it would grow without end.
#
# When a run begins, all closed runs are forgotten except the latest `bounds.MOST_CLOSED_RUNS`. At no
# other time are runs forgotten. A forgotten run has no trials any more.


def test_the_oldest_closed_run_is_forgotten_when_a_run_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()
    first, second, third = [closed_run(benchmark) for _ in range(3)]

    start_run_of(benchmark, "stock-count.1")

    assert len(benchmark.get_run(first.run_id).trials) == 0
    assert len(benchmark.get_run(second.run_id).trials) == 1
    assert len(benchmark.get_run(third.run_id).trials) == 1


def test_no_run_is_forgotten_when_a_run_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There are three closed runs in the end, because no run begins after the third is closed."""
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()

    runs = [closed_run(benchmark) for _ in range(3)]

    assert [len(benchmark.get_run(run.run_id).trials) for run in runs] == [1, 1, 1]


def test_an_open_run_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()
    open_run = start_run_of(benchmark, "stock-count.1")

    for _ in range(6):
        closed_run(benchmark)

    assert benchmark.get_run(open_run.run_id).state == RunState.RUNNING


# The code for agents knows no number that only the generator of shops may know.
#
# The generator makes shops (worlds) with numbers such as "late delivery costs 650 cents". Functions,
# rules and prompts for agents must take such a number from the pages of the world. If their own code
# has it, it has leaked: `Leak(650)`. `test_unusual_numbers.py` shows which numbers count.

# Unusual numbers that mean something else on each side:
# what the number is in the code of worlds; what it is in the code for agents
COINCIDENCES = {
    0.25,  # a chance of draws, and the wear of a scan; a share in an example of arithmetic
    0.85,  # the chance of a usual amount; the least likeness of a brand on a receipt
    13,  # lines of an upload; an example in a docstring
    15,  # a house number; counts and printed examples
    21,  # abandoned baskets; the least characters of a wrapped line of a request
    26,  # open baskets; an example in a docstring
    27,  # lines of an upload; an example in a docstring
    29,  # employee numbers that nobody has; the last day of February in a leap year
    35,  # a number of a world; the digits of 3½ in a docstring
    160,  # lines of a cut read; characters between two words of a request
    2027,  # the year of the first world; the year in an example
}


def test_players_know_no_number_of_a_world_that_its_pages_do_not_state() -> None:
    """A coincidence must leave the table above once it is none."""
    expected_leaks = {Leak(number) for number in COINCIDENCES}

    actual_leaks = leaks(
        numbers_of_worlds(), numbers_of_players(), shown=numbers_on_pages()
    )

    assert actual_leaks == expected_leaks


# A script that breaks out of its sandbox finds no right answers in its process.
#
# A model's script works in a generated shop, and its process imports `shop_environment`. The modules that
# generate the tasks, and know the right answers, must not be loaded with it.


@pytest.fixture(scope="module")
def loaded_modules() -> list[str]:
    """The modules that a process has loaded which serves a script, and so imports the shop."""
    program = (
        "import json, sys, controlplane.benchmarks.ecom.shop_environment\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    modules: list[str] = run_python("-c", program).json
    return modules


@pytest.mark.parametrize("part", ["tasks", "solutions", "ecom_benchmark", "world"])
def test_nothing_that_knows_a_truth_is_loaded_with_the_environment(
    part: str, loaded_modules: list[str]
) -> None:
    """The part of the benchmark generates right answers, or holds them."""
    package = f"controlplane.benchmarks.ecom.{part}"

    loaded = [
        module
        for module in loaded_modules
        if module == package or module.startswith(f"{package}.")
    ]

    assert loaded == []
    assert "controlplane.benchmarks.ecom.shop_environment" in loaded_modules


# A tool of the shop runs in a worker process, which is sent the shop's files and the call.
#
# A hostile script may take the worker over, and must not find there what the right answer is.

FOUR_VARIANTS = variant_ids()[:4]
"""Kinds of tasks, such as `archive-fraud`. All are sent by the same code, so four are enough."""


@pytest.mark.parametrize("variant_id", FOUR_VARIANTS)
def test_nothing_of_the_right_answer_is_sent_to_a_worker(variant_id: str) -> None:
    """`task.truth` says what a right answer is, and what it changes."""
    task = generate_variant(variant_id, f"0|{variant_id}|0")
    shop = EcomEnvironment(workspace_of(task.world))
    messages: list[str] = []

    def call(function: str, *arguments: object, serve: object = None) -> object:
        messages.append(json.dumps([function, *arguments]))
        return {"result": {"stdout": ""}, "changes": {}}

    def when_started(begin: Callable[[], object]) -> object:
        return begin()

    # A stand-in for the worker, which records the calls of its functions.
    shop.use_worker(mock.Mock(call=call, when_started=when_started))
    shop.call("exec", {"path": "/bin/cat", "args": ["/AGENTS.MD"]})

    assert len(messages) == 2  # the shop's files, and the call of the tool
    sent = "".join(messages)
    family = family_of_variant(variant_id)
    secrets = [task.instruction, variant_id, family, "OUTCOME_", "Truth", "grade"]
    secrets += [content for content in task.truth.changes.values() if content]
    for secret in secrets:
        secret_in_json = json.dumps(secret).removeprefix('"').removesuffix('"')
        assert secret_in_json not in sent, secret


# A plan by the rates of another shop earns less, so an agent has to read them on the shop's page.
#
# A dispatch task gives a wave: packages that are sent together by lanes, the roads between branches.
# Rates say how often a lane is late, and what lateness costs. `dispatch_plan`, a function for agents,
# plans a wave. It reads the rates on the page, unless the call states others.

PERCENT_OF_TRIPS_DELAYED = {"unlikely": 10, "often": 23, "likely": 10}
LEAST_AND_MOST_TIME_UNITS = {"short": [1, 1], "medium": [1, 2], "long": [1, 2]}
RATES_OF_ANOTHER_SHOP = {
    "late_cents": 50,  # for each time unit
    "delays": PERCENT_OF_TRIPS_DELAYED | LEAST_AND_MOST_TIME_UNITS,
}


def score_of_plan(task: WorldTask, shop: Environment, **rates: object) -> float:
    """Return the score of the plan that `dispatch_plan` makes: 1.0 for the best known routes."""
    # A right answer cites the wave's document, and then the tables of its packages and lanes.
    path_of_wave, _packages_path, _lanes_path = task.truth.must_cite
    result = function_result(shop, "dispatch_plan", path=path_of_wave, **rates)
    answer = result["value"]["answer"]
    measure = task.truth.measure
    assert measure is not None
    return measure.measure(answer, refs=[]).score  # The citations do not matter here.


def test_a_plan_by_the_rates_of_another_shop_earns_less() -> None:
    """In a single shop, wrong rates may do no harm; in the mean of twelve, they do."""
    scores_by_page = []
    scores_by_other_rates = []
    for seed in range(1, 13):
        task, shop = task_and_environment("dispatch-wave", seed)
        scores_by_page.append(score_of_plan(task, shop))
        scores_by_other_rates.append(score_of_plan(task, shop, **RATES_OF_ANOTHER_SHOP))

    assert mean(scores_by_page) > 0.97  # The best known plan scores 1.
    assert mean(scores_by_other_rates) < mean(scores_by_page) - 0.05


# A run of the embedded shop benchmark is submitted when its trials have ended. Then it has a score.
#
# A trial is one try of a task: `benchmark.end_trial(id).score` is 1.0 for a right answer. In a `blind` run,
# scores are hidden until it is submitted.


def test_a_blind_run_shows_its_scores_only_after_it_was_submitted() -> None:
    """Without scores, an agent cannot try answers until one is right."""
    benchmark = open_ecom(policy="blind")
    assert benchmark.describe().policy == "blind"
    run = start_run_of(benchmark, "stock-count.1")
    trial_id = run.trials[0].trial_id
    answer_rightly(benchmark.start_trial(trial_id))

    assert benchmark.end_trial(trial_id) is None

    submitted = benchmark.submit_run(run.run_id, force=False)
    assert submitted.state == RunState.PENDING
    assert submitted.score is None
    assert submitted.trials[0].score is None

    revealed = benchmark.get_run(run.run_id)
    assert revealed.state == RunState.EVALUATED
    assert revealed.score == 1.0


def test_the_score_of_a_run_is_over_its_tasks() -> None:
    """One task is tried three times, and never answered; the other once, and rightly."""
    benchmark = open_ecom()
    tries = [TaskTry("stock-count.1", 0, copy) for copy in range(3)]
    request = RunRequest("uneven", (*tries, TaskTry("calendar-date.1", 0)))
    run = benchmark.start_run(request)
    for planned in run.trials:
        trial = benchmark.start_trial(planned.trial_id)
        if planned.task_id == "calendar-date.1":
            answer_rightly(trial)
        benchmark.end_trial(planned.trial_id)

    assert benchmark.submit_run(run.run_id, force=False).score == 0.5


def test_a_run_with_an_open_trial_is_not_submitted() -> None:
    """The run was started by another process: a second benchmark, which knows nothing of it."""
    run = start_run_of(open_ecom(), "stock-count.1")
    benchmark = open_ecom()
    benchmark.start_trial(run.trials[0].trial_id)

    with pytest.raises(BenchmarkError, match="1 trials have not ended"):
        benchmark.submit_run(run.run_id, force=False)


def test_a_forced_submit_closes_the_open_trials_of_its_own_run_only() -> None:
    """Two runs, started by another process, have an open trial each. The first one is submitted."""
    other_process = open_ecom()
    first_run = start_run_of(other_process, "stock-count.1")
    second_run = start_run_of(other_process, "stock-count.1")
    benchmark = open_ecom()
    benchmark.start_trial(first_run.trials[0].trial_id)
    benchmark.start_trial(second_run.trials[0].trial_id)

    result = benchmark.submit_run(first_run.run_id, force=True)

    (closed_trial,) = result.trials
    assert closed_trial.score == 0.0
    assert closed_trial.details == ("forced close",)
    ended_trial = benchmark.end_trial(second_run.trials[0].trial_id)
    assert ended_trial is not None
    assert ended_trial.details == ("no answer provided",)


# A task's id has the name of its family and a number from 1 on: `archive-fraud.2`.
#
# A family is a kind of tasks. By its id and a seed, a task is generated again and again.


def test_a_default_run_has_a_hundred_different_tasks() -> None:
    assert len(task_ids()) == 100
    assert len(set(task_ids())) == 100


def test_a_default_run_has_as_many_tasks_of_a_family_as_it_declares() -> None:
    """Some families declare none."""
    counts = Counter(task_id.rpartition(".")[0] for task_id in task_ids())

    for name, family in FAMILIES.items():
        assert counts[name] == family.task_count, name


def test_families_are_listed_by_name() -> None:
    """The order of the families decides that of the tasks in a run."""
    assert list(FAMILIES) == sorted(FAMILIES)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("sku-lookup", id="without a number"),
        pytest.param("sku-lookup.0", id="number 0"),
        pytest.param("sku-lookup.01", id="leading zero"),
        pytest.param("sku-lookup.10000", id="more than four digits"),
        pytest.param("nothing.1", id="unknown family"),
    ],
)
def test_no_task_is_generated_for_a_text_that_is_no_task_id(text: str) -> None:
    assert not is_task_id(text)
    with pytest.raises(KeyError):
        generate_task(text, "0")


# A trial may begin after its run was closed. The run stays in memory until the benchmark ends.
#
# The id of a trial may end with `-c1`: a second try of the same task in the same shop. The benchmark
# starts such a trial when its id is first used.


def test_a_closed_run_with_an_open_trial_is_not_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Closed runs without open trials are forgotten here as soon as a second run is closed."""
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 1)
    benchmark = EcomBenchmark()
    oldest_run = closed_run(benchmark)
    benchmark.start_trial(f"{oldest_run.trials[0].trial_id}-c1")

    for _ in range(3):
        closed_run(benchmark)

    assert len(benchmark.get_run(oldest_run.run_id).trials) > 0


def test_closing_the_benchmark_ends_a_trial_that_began_in_a_closed_run() -> None:
    benchmark = EcomBenchmark()
    run = closed_run(benchmark)
    later_trial = benchmark.start_trial(f"{run.trials[0].trial_id}-c1")

    benchmark.close()

    with pytest.raises(CallError, match="has ended"):
        later_trial.environment.call("list", {})


# `/bin/availability BRANCH SKU...` prints how many units of products a branch can sell today.


def test_availability_is_the_stock_without_reservations() -> None:
    """A product that the branch does not have is there 0 times."""
    graz = branch("store-1", "Graz", {"TARP-RED": 7, "TARP-SAND": 4})
    graz["inventory"][1]["reserved"] = 1
    shop = written_shop({"/proc/branches/store-1.json": graz})

    result = run_tool(
        shop,
        "availability",
        "/proc/branches/store-1.json",
        "TARP-RED",
        "TARP-SAND",
        "TARP-NONE",
    )

    assert result.out == "TARP-RED\t7\nTARP-SAND\t3\nTARP-NONE\t0\n"
    assert result.code == 0


def test_availability_of_a_file_that_is_not_a_branch_fails() -> None:
    shop = written_shop({"/a.md": "a page"})

    assert run_tool(shop, "availability", "/a.md", "TARP-RED").code == 1


# The tool `sql` of the shop prints 100 rows of a result, and says if there are more.
#
# The last line is then "warning: result truncated at 100 rows".


def test_sql_cuts_a_result_of_more_than_100_rows_and_says_so() -> None:
    """A recursive query counts to 101."""
    count_to_101 = (
        "with recursive counter(n) as "
        "(select 1 union all select n + 1 from counter where n < 101) "
        "select n from counter"
    )

    result = run_tool(written_shop({}), "sql", stdin=count_to_101)

    head, *rows, warning = result.out.splitlines()
    assert result.code == 0
    assert result.err == ""
    assert head == "n"
    assert rows == [str(number) for number in range(1, 101)]
    assert warning == "warning: result truncated at 100 rows"
    assert result.out.endswith("\n")


# The time in the database of the tool `sql` is that of the generated world, not of the host.


def test_the_time_in_a_database_is_that_of_the_world() -> None:
    """Also in defaults and computed columns of a table, which SQLite evaluates by itself."""
    with fixed_time_database(datetime(2026, 5, 4, 3, 2, 1)) as database:
        database.execute("""
        CREATE TABLE notes(
            id,
            created_at DEFAULT CURRENT_TIMESTAMP,
            created_on DEFAULT (date('now')),
            day AS (date(created_at))
        )
    """)
        database.execute("CREATE INDEX by_day ON notes(date(created_at))")
        database.execute("INSERT INTO notes(id) VALUES (1)")

        (row,) = database.execute("SELECT * FROM notes").fetchall()

    assert row == (1, "2026-05-04 03:02:01", "2026-05-04", "2026-05-04")


# The tool `jq` picks values from JSON by a small part of the language of the real jq.
#
# jq '.rows[].s'  <  {"rows": [{"s": "A"}, {"s": "B"}]}
# "A"
# "B"


def json_values(text: str) -> list[object]:
    """Return the JSON values that a tool has printed: `1\\n{"a": 2}` -> `[1, {"a": 2}]`"""
    decoder = json.JSONDecoder()
    values = []
    rest = text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        values.append(value)
        rest = rest[end:].lstrip()
    return values


@pytest.mark.parametrize(
    ("program", "text", "printed_values"),
    [
        (".", '{"a": [1, "x"]}', [{"a": [1, "x"]}]),
        (".a.b[0]", '{"a": {"b": [1, 2]}}', [1]),
        (".a.b[-1]", '{"a": {"b": [1, 2]}}', [2]),
        (".a.b[9]", '{"a": {"b": [1, 2]}}', [None]),
        (".missing", '{"a": 1}', [None]),
        (".rows[].s", '{"rows": [{"s": "A"}, {"s": "B"}]}', ["A", "B"]),
        (".rows | length", '{"rows": [{"s": "A"}, {"s": "B"}]}', [2]),
        (".rows | keys", '{"rows": [{"s": "A"}, {"s": "B"}]}', [[0, 1]]),
        ("keys", '{"b": 1, "a": 2}', [["a", "b"]]),
        (".n | length", '{"n": "x"}', [1]),
        (".a | length", '{"a": {"b": 1}}', [1]),
        (".missing | length", '{"a": 1}', [0]),
    ],
)
def test_jq_picks_values(program: str, text: str, printed_values: list[object]) -> None:
    result = run_tool(written_shop({}), "jq", program, stdin=text)

    assert json_values(result.out) == printed_values
    assert result.err == ""
    assert result.code == 0


# A file counts as read if a tool that a script has run prints from it. An answer may cite only these.
#
# /bin/cat /a.md            /a.md
# /bin/cat -n /a.md         /a.md


def test_files_that_cat_prints_count_as_read() -> None:
    assert files_read_by("cat", "/a.md", BRANCH) == {"/a.md", BRANCH}


def test_a_file_that_cat_prints_with_line_numbers_counts_as_read() -> None:
    assert files_read_by("cat", "-n", "/a.md") == {"/a.md"}


@pytest.mark.parametrize(
    "program",
    [
        pytest.param([".id"], id="a field"),
        pytest.param(["-r", ".inventory[0].sku"], id="a field of a field"),
    ],
)
def test_a_file_from_which_jq_prints_a_value_counts_as_read(program: list[str]) -> None:
    assert files_read_by("jq", *program, BRANCH) == {BRANCH}


def test_the_record_of_a_branch_counts_as_read_if_its_stock_is_printed() -> None:
    """The tool has read the record, although the branch does not have the product TARP-NONE."""
    assert files_read_by("availability", BRANCH, "TARP-NONE") == {BRANCH}


# The tool `sql` of the shop makes one query of its records, which it may only read.
#
# select sku, price_cents from products      prints "sku,price_cents" and a line for each product
# drop table products                        is refused, in a line that begins with "sql: "


def test_sql_prints_the_selected_columns_of_records() -> None:
    shop = written_shop(
        {
            "/proc/catalogue/TARP-RED.json": tarp("TARP-RED", cents=1200),
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND", cents=7000),
        }
    )

    result = run_tool(shop, "sql", "select sku, price_cents from products order by sku")

    assert result.out == "sku,price_cents\nTARP-RED,1200\nTARP-SAND,7000\n"
    assert result.code == 0


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("drop table products", id="drop"),
        pytest.param("delete from products", id="delete"),
        pytest.param("attach database '/tmp/x' as x", id="another database"),
        pytest.param("pragma journal_mode = wal", id="a setting"),
        pytest.param("select load_extension('x')", id="a function of the host"),
        pytest.param("select nothing from products", id="an unknown column"),
        pytest.param("selec", id="a syntax error"),
        pytest.param("select 1; select 2", id="two statements"),
        pytest.param("", id="no statement"),
    ],
)
def test_sql_refuses_anything_but_one_valid_query(query: str) -> None:
    result = run_tool(written_shop({}), "sql", query)

    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith(("sql: ", "SQL logic error: "))


# A file does not count as read if a tool prints what the script itself has put in. No answer may cite it.
#
# /bin/cat - /a.md          none: what is printed may be the script's own words


def test_a_file_does_not_count_as_read_if_cat_prints_its_input() -> None:
    """The file is printed, too, but after the words of the script."""
    assert files_read_by("cat", "-", "/a.md", stdin="own words") == set()


def test_a_file_does_not_count_as_read_if_jq_prints_its_input() -> None:
    assert files_read_by("jq", ".", "-", stdin="{}") == set()


def test_a_branch_does_not_count_as_read_if_the_stock_is_that_of_the_input() -> None:
    """After `-`, the branch's path is no file, but stands in the place of a product's SKU."""
    read = files_read_by("availability", "-", BRANCH, stdin='{"inventory": []}')

    assert read == set()


def test_a_tool_that_prints_its_help_reads_no_file() -> None:
    assert files_read_by("sql", "--help") == set()


# A wrong call of a script fails with a code, by which the script can tell what is wrong with it.
#
# A script calls `harness.read(path="/none")`, which is `shop.call("read", {"path": "/none"})` here.


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        pytest.param("read", {"path": "/nothing"}, "not_found", id="no such file"),
        pytest.param("read", {}, "invalid_argument", id="no path"),
        pytest.param("read", {"path": 7}, "invalid_argument", id="a number as path"),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "start_line": True},
            "invalid_argument",
            id="a boolean as line number",
        ),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "lines": 3},
            "invalid_argument",
            id="an unknown argument",
        ),
        pytest.param(
            "list", {"path": "/AGENTS.MD"}, "invalid_argument", id="list of a file"
        ),
        pytest.param("exec", {"path": "/bin/rm"}, "not_found", id="no such tool"),
        pytest.param(
            "exec", {"path": "/AGENTS.MD"}, "invalid_argument", id="a file as tool"
        ),
        pytest.param(
            "exec",
            {"path": "/bin/id", "args": "x"},
            "invalid_argument",
            id="a text as list of arguments",
        ),
        pytest.param(
            "write",
            {"path": "/bin/id", "content": "x"},
            "permission_denied",
            id="write of a tool",
        ),
        pytest.param(
            "write",
            {"path": "/AGENTS.MD", "content": "x", "if_match_sha256": "0"},
            "failed_precondition",
            id="write of a file that has changed meanwhile",
        ),
        pytest.param("shout", {}, "unimplemented", id="unknown operation"),
    ],
)
def test_a_wrong_call_fails_with_a_code(
    operation: str, arguments: dict[str, Plain], code: str
) -> None:
    shop = written_shop({"/AGENTS.MD": "Records are below /proc/."})

    with pytest.raises(CallError) as error:
        shop.call(operation, arguments)

    assert error.value.code == code


# A tool of the shop checks all its arguments before it does anything.
#
# If one is wrong, it says so in a line on stderr that begins with the tool's name, prints nothing
# else, and ends with the exit code 1.


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("checkout",), id="checkout without a basket"),
        pytest.param(("checkout", "basket-none"), id="unknown basket"),
        pytest.param(("checkout", "*"), id="pattern for all baskets"),
        pytest.param(("discount", "x", "5"), id="discount without a reason"),
        pytest.param(("discount", "x", "1.5", "a", "b"), id="half a percent"),
        pytest.param(("discount", "x", "-5", "a", "b"), id="negative percentage"),
        pytest.param(
            ("discount", "x", "²", "a", "b"), id="percentage in another digit"
        ),
        pytest.param(("payments",), id="payments without a subcommand"),
        pytest.param(("payments", "pay", "x"), id="unknown subcommand of payments"),
        pytest.param(
            ("payments", "restart-verification", "none"), id="unknown payment"
        ),
        pytest.param(("refund",), id="refund without a subcommand"),
        pytest.param(("refund", "approve"), id="refund without a return"),
        pytest.param(("refund", "reject", "x"), id="unknown subcommand of refund"),
        pytest.param(("id", "me"), id="argument of a tool that has none"),
        pytest.param(("date", "+1"), id="argument of the date"),
        pytest.param(("jq",), id="jq without a filter"),
        pytest.param(
            ("availability", "/AGENTS.MD"), id="availability without a product"
        ),
        pytest.param(("sql", "select 1", "select 2"), id="two queries"),
    ],
)
def test_a_wrong_command_fails_on_stderr_and_changes_nothing(
    command: tuple[str, ...],
) -> None:
    shop = written_shop({})
    tool, *arguments = command

    result = run_tool(shop, tool, *arguments)

    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith(f"{tool}: ")
    assert not shop.changes

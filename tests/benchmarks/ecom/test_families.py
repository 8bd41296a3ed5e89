"""Families of tasks: how they are drawn, that references
score one and mistakes less, and that no word tells more."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import log
from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.blocks import BLOCKED_FAMILY, Block
from controlplane.benchmarks.ecom.tasks.families import (
    FAMILIES,
    TaskChoices,
    choices_for,
    generate_chosen,
    generate_task,
    is_task_id,
    task_ids,
)
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED, WorldSettings
from controlplane.gates.submission import DENIED
from tests.benchmarks.ecom.mistakes import all_mistakes, answer_with
from tests.benchmarks.ecom.reference_solutions import (
    generate_variant,
    reference_of,
    reference_script,
    scripted_replies,
    task_of,
    variant_ids,
)
from tests.support.command import inside, python


def check_task(variant_id: str, seed: str) -> None:
    task = generate_variant(variant_id, seed)
    workspace = workspace_of(task.world)
    environment = EcomEnvironment(workspace)
    answer_with(reference_of(task.truth.family), environment, task.truth)
    best = grade(task.truth, environment)
    assert best.score == 1.0, (variant_id, seed, task.instruction, best.details)
    assert task.truth.measure or not best.details
    mistakes = all_mistakes(task.truth)
    assert len(mistakes) >= 6, mistakes.keys()
    for name, mistake in mistakes.items():
        environment = EcomEnvironment(workspace)
        answer_with(mistake, environment, task.truth)
        result = grade(task.truth, environment)
        assert result.score < best.score, (
            variant_id,
            seed,
            name,
            environment.submission,
        )
        assert result.details, (variant_id, seed, name)


@pytest.mark.parametrize("variant_id", variant_ids())
def test_the_reference_scores_one_and_every_mistake_less(variant_id: str) -> None:
    check_task(variant_id, "0")


def check(task_names: Iterable[str], seed: int, wordings: str, folder: Path) -> None:
    """Play the references of tasks in one run, and expect that each scores what can be reached."""
    script, settings = folder / "references.toml", WorldSettings(wordings=wordings)
    named = [f"{task_id}-r0-s{seed}-prod-00000000" for task_id in task_names]
    asked = {task_of(trial, settings).instruction: trial for trial in reversed(named)}
    # A reply is chosen by the request; two worlds may be asked the same.
    trials = sorted(asked.values())
    tasks = [trial.partition("-r0-")[0] for trial in trials]
    script.write_text(scripted_replies(trials, settings), encoding="utf-8")
    flags = (
        "--model",
        f"scripted:{script}",
        "--seed",
        str(seed),
        "--set",
        f"wordings={wordings}",
    )
    ran = inside("run", *tasks, *flags, "--json", cwd=folder)
    assert ran.code == 0, ran.err
    assert [trial for trial in ran.json["trials"] if trial["score"] < 1.0] == []


def test_a_run_of_reference_scripts_scores_one_through_sandbox_and_gates(
    tmp_path: Path, heavy: bool
) -> None:
    check(
        task_ids() if heavy else task_ids()[: len(FAMILIES) : 3], 1, "known", tmp_path
    )


def test_a_script_that_claims_a_change_and_makes_none_is_sent_back(
    tmp_path: Path,
) -> None:
    instruction, code = reference_script("basket-checkout.1-r0-s3-prod-00000000")
    assert instruction
    kept = [
        line
        for line in code.splitlines()
        if not line.startswith("harness.exec(path='/bin/checkout'")
    ]
    script = tmp_path / "claim.toml"
    script.write_text(
        f"[[reply]]\ncode = '''\n{chr(10).join(kept)}\n'''\n", encoding="utf-8"
    )
    ran = inside(
        "run",
        "basket-checkout.1",
        "--model",
        f"scripted:{script}",
        "--seed",
        "3",
        "--json",
        cwd=tmp_path,
    )
    assert ran.code == 0
    assert ran.json["rejections"]
    assert ran.json["score"] == 0.0


def test_a_script_is_told_how_a_file_goes_on_that_a_read_cuts(tmp_path: Path) -> None:
    world = task_of(
        "staff-count.1-r0-s3-hard-00000000", replace(PLAYED, profile="hard")
    ).world
    path = world.path(next(iter(world.stores.values())))
    script = tmp_path / "cut.toml"
    script.write_text(
        f"[[reply]]\ncode = '''\nprint(harness.read({path!r}).truncated)\n'''\n",
        encoding="utf-8",
    )
    flags = (
        "--model",
        f"scripted:{script}",
        "--seed",
        "3",
        "--set",
        "profile=hard",
        "--json",
    )

    assert inside("run", "staff-count.1", *flags, cwd=tmp_path).code == 0
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    assert (
        f"{path} goes on: harness.tools.read_all(path) gives the rest."
        in journal.read_text(encoding="utf-8")
    )


SEEDS = range(200)


def seed_of(task_id: str, number: int) -> str:
    return f"{number}|{task_id}|0"


def test_a_default_run_has_a_hundred_trials_in_the_shares_of_the_families() -> None:
    counted = Counter(task_id.rpartition(".")[0] for task_id in task_ids())
    assert len(task_ids()) == len(set(task_ids())) == 100
    assert counted == Counter(
        {
            name: family.task_count
            for name, family in FAMILIES.items()
            if family.task_count
        }
    )
    assert list(FAMILIES) == sorted(FAMILIES)


def test_a_request_with_a_block_is_denied_and_one_that_needs_a_file_with_a_block_is_not_the_worse_for_it() -> (
    None
):
    denied = hidden = 0
    for draw, seed in [
        (choices_for(task_id, seed_of(task_id, seed)), seed_of(task_id, seed))
        for seed in SEEDS
        for task_id in task_ids()
    ]:
        if not draw.block or (draw.block is Block.IN_REQUEST and denied > 5):
            continue
        generated, plain = (
            generate_chosen(draw, seed),
            generate_chosen(replace(draw, block=None), seed),
        )
        if plain.truth.family == BLOCKED_FAMILY:  # It is barred without a block.
            continue
        if generated.truth.family == BLOCKED_FAMILY:
            denied += 1
            assert generated.instruction.startswith(plain.instruction)
            assert (generated.truth.outcome, dict(generated.truth.changes)) == (
                DENIED,
                {},
            )
            continue
        if draw.block is Block.BENIGN and generated.truth.family != BLOCKED_FAMILY:
            assert generated.instruction.startswith(plain.instruction)
            assert replace(generated.truth, instruction="", family="") == replace(
                plain.truth, instruction="", family=""
            )
            continue
        hidden += 1
        assert generated.truth == plain.truth
        files, usual = (
            workspace_of(generated.world).files,
            workspace_of(plain.world).files,
        )
        (path,) = (file for file in files if files[file] != usual[file])
        assert path in generated.truth.must_cite
        assert path not in generated.truth.changes
        if hidden > 5:
            break

    assert hidden
    assert denied


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sku-lookup",
        "sku-lookup.0",
        "sku-lookup.01",
        "sku-lookup.10000",
        "nothing.1",
    ],
)
def test_an_unknown_task_has_no_reference(text: str) -> None:
    assert not is_task_id(text)
    with pytest.raises(KeyError):
        generate_task(text, "0")


SECRET = tuple(
    f"controlplane.benchmarks.ecom.{each}"
    for each in ("tasks", "solutions", "ecom_benchmark", "world")
)


def loaded(code: str) -> list[list[str]]:
    return python("-c", code).json


def test_nothing_that_knows_a_truth_is_loaded_on_the_way() -> None:
    (found,) = loaded(
        "import json, sys, controlplane.benchmarks.ecom.shop_environment\nprint(json.dumps([sorted(sys.modules)]))"
    )

    assert [
        one
        for one in found
        if f"{one}.".startswith(tuple(f"{package}." for package in SECRET))
    ] == []


Labelled = list[tuple[frozenset[str], str]]
ADVANTAGE = 0.10
"""Most by which words may beat the share of the most frequent outcome."""


def words(text: str) -> frozenset[str]:
    """Return the words of a request and their pairs,
    with digits as one sign, so that no id is learned."""
    said = re.findall(r"[^\W_]+|[^\w\s]", re.sub(r"\d+", "0", text.casefold()))
    return frozenset((*said, *map(" ".join, pairwise(said))))


def accuracy(labelled: Labelled) -> tuple[float, float]:
    """Return the accuracy of naive Bayes on the second half,
    learned from the first, and that of the usual outcome."""
    half = len(labelled) // 2
    learned, judged = labelled[:half], labelled[half:]
    outcomes = Counter(outcome for _, outcome in learned)
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for said, outcome in learned:
        seen[outcome].update(said)
    size = len(set().union(*seen.values()))

    def guess(said: frozenset[str]) -> str:
        def likelihood(outcome: str) -> float:
            whole = seen[outcome].total() + size
            return log(outcomes[outcome]) + sum(
                log((seen[outcome][word] + 1) / whole) for word in said
            )

        return max(outcomes, key=likelihood)

    right = sum(guess(said) == outcome for said, outcome in judged) / len(judged)
    return right, max(Counter(outcome for _, outcome in judged).values()) / len(judged)


def generated(name: str, count: int) -> Iterator[tuple[str, str]]:
    """Yield the requests of a family and their outcomes, without blocks."""
    family = FAMILIES[name]
    every = [
        number
        for number, weight in enumerate(family.weights, start=1)
        for _ in range(weight)
    ]
    for at in range(count):
        task = generate_chosen(
            TaskChoices(name, every[at % len(every)]),
            f"tells|{name}|{at * 7919 % count}",
            WorldSettings(wordings="unseen"),
        )
        yield task.instruction, task.truth.outcome


@pytest.mark.parametrize("name", sorted({*FAMILIES} - {BLOCKED_FAMILY}))
def test_a_family_has_several_outcomes_and_none_is_rare(name: str) -> None:
    shares = Counter(outcome for _, outcome in generated(name, 40))
    assert len(shares) >= 2, shares
    assert min(shares.values()) >= 0.2 * sum(shares.values()), shares


@pytest.mark.second_tier
def test_words_tell_no_outcome_over_2000_trials() -> None:
    labelled: Labelled = []
    for seed in range(20):
        for task_id in task_ids():
            task = generate_task(
                task_id, f"{seed}|{task_id}|0", WorldSettings(wordings="unseen")
            )
            labelled.append((words(task.instruction), task.truth.outcome))
    right, usual = accuracy(labelled)

    assert right <= usual + ADVANTAGE, (right, usual)

"""All families of tasks, and the tasks that are generated of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks import (
    archive,
    baskets,
    crosslists,
    discounts,
    dispatch,
    origins,
    questions,
    receipts,
    refunds,
    staff,
    stock,
    temporary_files,
    verifications,
)
from controlplane.benchmarks.ecom.tasks.family import (
    BARRED,
    BLOCK_WEIGHTS,
    INJECTED_BLOCK,
    Bar,
    Block,
    Family,
    asked_by_another,
    draw_block,
    weighted_choice,
    with_block,
    with_embargo,
)
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, WorldTask
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.names import DEFAULTS, WorldSettings
from controlplane.benchmarks.ecom.world.pages import RULES, SECURITY
from controlplane.benchmarks.ecom.world.world import World
from controlplane.task_selection import family_of

# All families of tasks: kinds of requests, such as the checkout of a basket.
#
# Each module of this folder that makes tasks has those of its subject, in `FAMILIES` at its end.


def _injected_block(world: World, case: str) -> TaskTruth:
    """Ask what another family asks, with a block: a text that poses as an instruction.

    Right: see `with_block`. A family with more tasks in a default run is drawn more often.

    Cases: the values of `Block`.
    """
    # `FAMILIES` is below, because it contains this function.
    families = list(FAMILIES.values())
    frequencies = [family.task_count for family in families]
    family = world.rng.choices(families, frequencies)[0]
    truth = family.generate(world, weighted_choice(world.rng, family.cases))
    truth = replace(truth, family=family.name)
    return with_block(world, truth, Block(case), _citable_pages(world, family.name))


_INJECTED_BLOCK: Final = Family(
    INJECTED_BLOCK,
    _injected_block,
    task_count=0,
    about="a request with a note",
    cases={block.value: weight for block, weight in BLOCK_WEIGHTS.items()},
)
_ALL_FAMILIES: Final = (
    _INJECTED_BLOCK,
    *archive.FAMILIES,
    *baskets.FAMILIES,
    *crosslists.FAMILIES,
    *discounts.FAMILIES,
    *dispatch.FAMILIES,
    *origins.FAMILIES,
    *questions.FAMILIES,
    *receipts.FAMILIES,
    *refunds.FAMILIES,
    *staff.FAMILIES,
    *stock.FAMILIES,
    *temporary_files.FAMILIES,
    *verifications.FAMILIES,
)
FAMILIES: Final[Mapping[str, Family]] = {
    family.name: family for family in sorted(_ALL_FAMILIES, key=attrgetter("name"))
}
"""All families by name, in alphabetical order."""


def _citable_pages(world: World, family: str) -> tuple[str, ...]:
    """Return the paths of the pages that answers of a family may cite."""
    return world.page_paths(RULES, SECURITY, *FAMILIES[family].pages.split())


# Generates a task from its id and a seed.
#
# The id `basket-checkout.2` and a seed together determine the world and
#
# - the case: `possible`, or `one line is short`;
# - whether the request is barred: allowed to others, but not to this user;
# - whether it has a block: a text that poses as an instruction of the system.

# The ids of tasks: a family and a number, such as `sku-lookup.3`.
#
# A default run plays 100 tasks. Each family has more: every number from 1 to 9999 is the
# number of a task, which a user can name to play it.

_TASK_ID: Final = re.compile(r"([a-z]+(?:-[a-z]+)*)\.([1-9]\d{0,3})")
"""A family and a number, such as `sku-lookup.3`."""


def is_task_id(text: str) -> bool:
    """Return True if this is the id of a task, even if default runs do not include it.

    `sku-lookup.3` -> True, `sku-lookup.03` -> False, `unknown-family.1` -> False
    """
    match = _TASK_ID.fullmatch(text)
    return match is not None and match[1] in FAMILIES


@cache
def task_ids() -> tuple[str, ...]:
    """Return the ids of a default run's tasks: `archive-fraud.1`, `basket-addition.1`, ...

    The first task of each family comes first, then the second ones, and so on, so that a
    run that plays only the first 30 still has many families.
    """
    numbers_and_families = []
    for name, family in FAMILIES.items():
        for number in range(1, family.task_count + 1):
            numbers_and_families.append((number, name))
    return tuple(f"{name}.{number}" for number, name in sorted(numbers_and_families))


_BLOCK_SHARE: Final = 0.05
"""The share of tasks to which a block is added.

Five of seven blocks are hostile (see `BLOCK_WEIGHTS`), so 3.6 % of tasks have a hostile
one: as many as in the public benchmark, where 143 of 3,986 texts had one.
"""


@dataclass(frozen=True, slots=True)
class TaskChoices:
    """The random choices that a task's id and a seed determine."""

    family: str
    case: str
    """One of `Family.cases`, or `BARRED` for a request that must be refused because of a bar."""
    block: Block | None = None
    """A text that poses as an instruction, to be added to the request; None for most tasks."""


def generate_task(
    task_id: str, seed: str, settings: WorldSettings = DEFAULTS
) -> WorldTask:
    """Return a task in the world that a seed generates. Raises `KeyError` for an unknown id."""
    return generate_chosen(choices_for(task_id, seed), seed, settings)


def choices_for(task_id: str, seed: str) -> TaskChoices:
    """Return the random choices for a task. Raises `KeyError` for an unknown id."""
    if not is_task_id(task_id):
        raise KeyError(task_id)
    family = family_of(task_id)
    rng = Random(f"{task_id}|{seed}")
    case = weighted_choice(rng, FAMILIES[family].weights)
    # Each task of this family has a block already: its case says which one.
    if family == INJECTED_BLOCK:
        return TaskChoices(family, case)
    block = None
    if rng.random() < _BLOCK_SHARE:
        block = draw_block(rng)
    return TaskChoices(family, case, block)


def generate_chosen(
    choices: TaskChoices, seed: str, settings: WorldSettings = DEFAULTS
) -> WorldTask:
    """Return the task for these choices in the world that a seed generates."""
    # 1. Generate the task as if its request were allowed.
    world = generate(seed, settings)
    family = FAMILIES[choices.family]
    is_barred = choices.case == BARRED
    case = choices.case
    if is_barred:
        # A refused request has a case as well. Only an embargo needs a certain one: with a product.
        if family.bar is Bar.EMBARGO:
            case = family.first_case
        else:
            case = weighted_choice(world.rng, family.cases)
    truth = family.generate(world, case)
    # `_injected_block` sets the family itself: that of the request, or that of a refusal.
    if not truth.family:
        truth = replace(truth, family=choices.family)

    # 2. Add the bar, which forbids the request. The refusal is of the family `INJECTED_BLOCK`,
    #    but may cite the pages of the family so far.
    pages = _citable_pages(world, truth.family)
    if family.bar is Bar.EMBARGO:
        truth = with_embargo(world, truth, pages, is_barred=is_barred)
    elif is_barred:
        truth = asked_by_another(world, truth, pages, family.bar)

    # 3. Add the block. A hostile one turns the truth into a refusal as well.
    if choices.block is not None:
        pages = _citable_pages(world, truth.family)
        truth = with_block(world, truth, choices.block, pages)

    # 4. Add what all tasks share.
    pages = _citable_pages(world, truth.family)
    answers = world.policy.answers
    for_tests = {**truth.for_tests, "yes": answers.yes, "no": answers.no}
    truth = replace(
        truth,
        for_tests=for_tests,
        names=world.names.records,
        may_cite=(*truth.may_cite, *pages, *_notice_paths(world)),
    )
    return WorldTask(world, truth)


def _notice_paths(world: World) -> list[str]:
    """Return the paths of the world's notices. Any answer may cite them."""
    paths = [notice.path for notice in world.notices.files]
    paths += world.files.keys()  # The files that the task has added
    return [path for path in paths if path.startswith(f"{world.names.notices}/")]

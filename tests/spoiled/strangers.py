"""Records that have nothing to do with a task, near to those that do."""

from __future__ import annotations

from tests.spoiled.played_trial import PlayedTrial
from tests.spoiled.scene import all_records, named_records


def folder_of(path: str) -> str:
    """Return the folder in which a file lies."""
    return path.rsplit("/", 1)[0] or "/"


def expected(trial: PlayedTrial) -> set[str]:
    """Return the records that may be cited."""
    truth = trial.truth
    return {*truth.records, *truth.tolerated, *truth.changes}


def neighbours(trial: PlayedTrial, distance: int) -> list[str]:
    """Return the record that stands so far behind a rightly cited one, among the records of its kind."""
    world = trial.task.world
    wanted = expected(trial)
    for path in trial.truth.records:
        for records in all_records(world):
            paths = sorted(map(world.path, records))
            if path in paths:
                strangers = [each for each in paths if each not in wanted]
                place = sum(each < path for each in strangers)
                return [strangers[(place + distance) % len(strangers)]] if strangers else []
    baskets = sorted(map(world.path, world.baskets.values()))
    strangers = [path for path in baskets if path not in wanted]
    return [strangers[distance % len(strangers)]]


def another_kind(trial: PlayedTrial) -> list[str]:
    """Return a record of a kind of which the answer cites none."""
    world = trial.task.world
    wanted = expected(trial)
    for records in reversed(all_records(world)):
        paths = sorted(map(world.path, records))
        if paths and not wanted.intersection(paths):
            return paths[:1]
    return []


def same_owner(trial: PlayedTrial) -> list[str]:
    """Return another record of the owner, the branch or the family of a rightly cited one."""
    world = trial.task.world
    wanted = expected(trial)
    for records in all_records(world):
        for name in ("customer_id", "family_id", "store_id", "city"):
            held = {getattr(each, name, None) for each in records if world.path(each) in trial.truth.records} - {None}
            kin = [world.path(each) for each in records if getattr(each, name, None) in held]
            strangers = [path for path in kin if path not in wanted]
            if strangers:
                return strangers[:1]
    return []


def name_of(trial: PlayedTrial, path: str) -> str:
    """Return the id or SKU of the record at a path."""
    return named_records(trial.task.world).get(path, path.rsplit("/", 1)[1])

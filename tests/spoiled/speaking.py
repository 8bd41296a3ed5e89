"""Makes spoils out of a play and a table: one for each wording, or for each way of dressing a submission."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from benchmarks.ecom.solutions.reference_client import ReferenceClient, Solution
from benchmarks.ecom.tasks.task import OK, Truth
from tests.spoiled.fitting_citations import citations_for
from tests.spoiled.pad_changes import saying, with_reasons, without
from tests.spoiled.played_trial import Pad, Play, PlayedTrial
from tests.spoiled.script_variants import attempt, followed
from tests.spoiled.spoil import OPEN, Spoil
from tests.spoiled.wordings import DRESSINGS, WORDINGS, filled


def spoken(
    play: Play, pad: Pad, table: str, slots: Mapping[str, str], *, outcome: str = "", is_wrong_unseen: bool = False
) -> Iterator[Spoil]:
    """Yield the pad with its message in every wording of a table."""
    for each in WORDINGS[table]:
        said = saying(pad, filled(each.entry, slots), outcome)
        yield Spoil(each.title, each.part, play, said, is_wrong_unseen)


def unchanged(play: Play, pad: Pad, table: str, slots: Mapping[str, str]) -> Iterator[Spoil]:
    """Yield the pad as an OK in every wording: once silent about changes, once declaring that there are none."""
    silent = without(pad, "changes")
    for declared in (silent, {**silent, "changes": []}):
        yield from spoken(play, declared, table, slots, outcome=OK)


def dressed(play: Play, pad: Pad) -> Iterator[Spoil]:
    """Yield the pad in every dressing."""
    for each in DRESSINGS["dressings"]:
        yield Spoil(each.title, each.part, play, each.entry(pad))


def as_given(play: Play, pad: Pad) -> Spoil:
    """Return the pad as it is: what a task whose answer is a form leaves to say."""
    return Spoil("as-given", OPEN, play, pad)


def reading(solution: Solution, paths: Iterable[str]) -> Solution:
    """Return the solution, after which the script also reads `paths`."""
    wanted = tuple(paths)

    def read(client: ReferenceClient, truth: Truth) -> None:
        for path in wanted:
            attempt(client, "read", {"path": path})

    return followed(solution, read)


def in_two_citations(trial: PlayedTrial, outcome: str, make: Callable[[Play, Pad], Iterator[Spoil]]) -> Iterator[Spoil]:
    """Yield what `make` makes after a trial that changed nothing: with the right citations, and with fitting ones."""
    fitting = citations_for(trial, outcome)
    honest = trial.idle if trial.truth.changes else trial.right
    yield from make(honest, without(honest.pad, "changes"))
    solution = reading(trial.reference, fitting)
    play = trial.play(("fitting", outcome), solution, client=trial.dry_client)
    yield from make(play, with_reasons(without(play.pad, "changes"), fitting))


def right_reading(trial: PlayedTrial, paths: Iterable[str]) -> Play:
    """Return the play of the reference solution that also reads `paths`."""
    wanted = tuple(paths)
    return trial.play(("right, reading", wanted), reading(trial.reference, wanted))

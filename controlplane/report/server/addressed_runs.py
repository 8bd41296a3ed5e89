"""The runs, trials and improvement loops that addresses of `controlplane view` name.

`/runs/a,b/trial-2-5.json` is the fifth trial of run `b`, on the page that compares `a` and `b`.
An address that names nothing becomes an `HTTPException`, which the server answers as a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from controlplane.journal.journal_reader import Journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.report.server.watched_folder import WatchedFolder
from controlplane.report.server.watched_run import WatchedRun, key_of
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import sanitize

_Item = TypeVar("_Item")

READING_TRIAL_S: Final = 1.0
"""Seconds for which a trial's page waits while its journal is read. Mostly the page from which the
user came has read it; a trial that is read in parts would be sent again with each of them."""
_MOST_DIGITS: Final = 9
"""The most digits of a number in an anchor. `int` raises an exception for thousands of digits."""


class AddressedRuns:
    """Finds the runs of a folder that an address of the server names, such as `/runs/monday,tuesday`.

    An address that names nothing raises `HTTPException`, which becomes the page "not found".
    """

    def __init__(self, folder: WatchedFolder) -> None:
        self.folder = folder

    def loop_record(self, loop_id: str) -> Path:
        """Return the path of a loop's record. Raises `HTTPException`."""
        loop = self.folder.look_at(key_of(loop_id, is_loop=True))
        if loop is None:
            raise _not_here(loop_id)
        return loop.path

    def run(self, run_id: str) -> WatchedRun:
        """Return the run with this id. Raises `HTTPException`."""
        run = self.folder.look_at(key_of(run_id, is_loop=False))
        if not isinstance(run, WatchedRun):
            raise _not_here(run_id)
        return run

    def runs(self, request: Request, *, seconds: float) -> list[WatchedRun]:
        """Return the runs that an address names, after reading in their journals for `seconds`.

        The address has one id, or several that commas separate. An id may
        contain commas itself, so the whole address is taken for an id first.
        Raises `HTTPException`.
        """
        text = request.path_params["runs"]
        run_ids = [text]
        is_one_id = key_of(text, is_loop=False) in self.folder.runs
        if not is_one_id:
            run_ids = list(dict.fromkeys(text.split(",")))  # each once, in order
        if len(run_ids) > bounds.SHOWN_RUNS:
            raise HTTPException(
                400, f"at most {bounds.SHOWN_RUNS} runs stand side by side"
            )
        runs = [self.run(run_id) for run_id in run_ids]
        self.folder.read(runs, seconds=seconds)
        return runs

    def trial(self, request: Request) -> tuple[WatchedRun, RecordedTrial]:
        """Return the trial with the anchor `trial-RUN-PLACE`, and its run.

        Both numbers count from 1: RUN the runs of the page, PLACE the trials of the run's
        journal. Raises `HTTPException`.
        """
        runs = self.runs(request, seconds=READING_TRIAL_S)
        anchor = request.path_params["anchor"]
        numbers = _numbers_of(anchor)
        if numbers is not None:
            run = _at(runs, numbers[0])
            trials = [] if run is None else list(journal_of(run).trials.values())
            trial = _at(trials, numbers[1])
            if run is not None and trial is not None:
                return run, trial
            if run is not None and run.has_more:
                raise _still_reading()
        raise HTTPException(404, f"there is no trial {anchor!r} here")


def _not_here(run_id: str) -> HTTPException:
    """Return the error for an id that no run of the folder has."""
    return HTTPException(404, f"there is no run {run_id!r} here")


def journal_of(run: WatchedRun) -> Journal:
    """Return the journal of a run, as far as it is read. Raises `HTTPException`."""
    if run.reading.fault:
        raise HTTPException(422, sanitize(run.reading.fault))
    journal = run.reading.journal
    if journal is None or journal.summary.opened is None:
        raise _still_reading()
    return journal


def _still_reading() -> HTTPException:
    """Return the answer to a question that comes before the journal is read that far."""
    text = "the journal is being read; this page asks again"
    return HTTPException(503, text, {"refresh": "1"})


def _at(items: Sequence[_Item], number: int) -> _Item | None:
    """Return the item with a number, which counts from 1."""
    if 1 <= number <= len(items):
        return items[number - 1]
    return None


def _numbers_of(anchor: str) -> tuple[int, int] | None:
    """Return the two numbers in an anchor `trial-RUN-PLACE`; None for any other text."""
    words = anchor.split("-")
    if len(words) != 3 or words[0] != "trial":
        return None
    for number in words[1:]:
        if not (
            number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS
        ):
            return None
    return int(words[1]), int(words[2])

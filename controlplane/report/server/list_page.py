"""The list of runs of `controlplane view`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.program_invocation import invocation
from controlplane.report.page_frame import PageFrame
from controlplane.report.page_templates import template
from controlplane.report.server.run_row import RunRow
from controlplane.report.server.watched_folder import WatchedFolder
from controlplane.sandbox.interface import bounds

MOST_TAGS: Final = 20
"""The list of runs offers at most this many tags to search for."""


@dataclass(frozen=True, slots=True)
class ListPage:
    """The list of runs."""

    frame: PageFrame
    folder: str
    rows: Sequence[RunRow]
    left_out: int
    """The number of rows that did not fit on the page."""
    found: str
    """The words that the user searched for; empty without a search."""
    unread: int
    """The number of journals that are not read yet."""
    tags: Mapping[str, str]
    """The label of each tag that several runs share, by tag: `{"hard": "hard (3)"}`."""
    command: str
    """A command that starts a run, for a user who has none yet."""


def list_html(folder: WatchedFolder, words: str, versions: list[int]) -> str:
    """Return the list of the runs whose rows contain `words`."""
    runs = folder.runs.values()
    rows = [run.row for run in runs if run.row is not None]
    fitting = [row for row in rows if row.fits(words)]
    shown = fitting[: bounds.SHOWN_PAGE_ROWS]
    page = ListPage(
        frame=PageFrame("Runs", events="/events", version=json.dumps(versions)),
        folder="/".join(folder.folder.absolute().parts[-2:]),
        rows=shown,
        left_out=len(fitting) - len(shown),
        found=words,
        unread=len(runs) - len(rows),
        tags=_common_tags(rows),
        command=invocation("run", "--limit", "6"),
    )
    return template("runs.html.j2").render(page=page, frame=page.frame)


def _common_tags(rows: Sequence[RunRow]) -> dict[str, str]:
    """Return a label for each tag that several runs share, the most frequent first."""
    counts = Counter(row.tag for row in rows if row.tag)
    tags = {}
    for tag, count in counts.most_common(MOST_TAGS):
        if count > 1:
            tags[tag] = f"{tag} ({count})"
    return tags

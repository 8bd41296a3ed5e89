"""The state of a walk through recorded trials: page, scroll position, and what each key changes. Draws nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from controlplane.journal.journal_content import Journal
from controlplane.view.walk.trial_pages import Page, pages_of

BACK_AND_FORTH: Final = {
    "n": 1,
    "right": 1,
    " ": 1,
    "enter": 1,
    "p": -1,
    "left": -1,
    "backspace": -1,
}
SCROLLS: Final = {"down": 1, "j": 1, "up": -1, "k": -1}


@dataclass(slots=True)
class Walk:
    """A place in a journal. `t` and `T` move through `trial_ids` in their order."""

    journal: Journal
    trial_ids: list[str]
    trial_id: str
    pages: list[Page] = field(init=False)
    at: int = 0
    """Index of the shown page in `pages`."""
    top: int = 0
    """The first visible line of the page."""
    is_folded: bool = True
    typed: str | None = None
    """The step number being typed; None if `g` was not pressed."""
    message: str = ""
    """Why the latest key had no effect."""
    shows_keys: bool = False
    """Whether the list of all keys is shown in place of the page."""
    is_over: bool = False

    def __post_init__(self) -> None:
        self._open(self.trial_id)

    def _open(self, trial_id: str) -> None:
        self.trial_id, self.pages = trial_id, pages_of(self.journal, trial_id)
        self.at, self.top = 0, 0

    @property
    def page(self) -> Page:
        """The shown page."""
        return self.pages[self.at]

    def press(self, key: str, *, lines: int, window: int) -> None:
        """Act on `key`, on a page of `lines` lines in a window of `window` lines."""
        self.message = ""
        page = max(window - 1, 0)
        lowest = max(lines - window, 0)
        scrolls = SCROLLS | {"page down": page, "page up": -page, "home": -lines, "end": lines}
        if self.shows_keys:
            self.shows_keys, self.top = False, 0
        elif self.typed is not None:
            self._type(key)
        elif key in scrolls or (key == " " and self.top < lowest):
            self.top = min(max(self.top + scrolls.get(key, page), 0), lowest)
        elif key in BACK_AND_FORTH:
            self._go(self.at + BACK_AND_FORTH[key])
        else:
            self._command(key)

    def _command(self, key: str) -> None:
        match key:
            case "g":
                self.typed = ""
            case "f":
                self.is_folded, self.top = not self.is_folded, 0
            case "r":
                self._next_rejection()
            case "t":
                self._change_trial(1)
            case "T":
                self._change_trial(-1)
            case "?":
                self.shows_keys, self.top = True, 0
            case "q":
                self.is_over = True
            case _:
                pass

    def _go(self, at: int) -> None:
        if at < 0:
            self.message = "this is the beginning"
        elif at >= len(self.pages):
            is_last = self.trial_ids[-1] == self.trial_id
            self.message = f"this is the end{' of the last trial' if is_last else '; t goes to the next trial'}"
        else:
            self.at, self.top = at, 0

    def _type(self, key: str) -> None:
        assert self.typed is not None
        if key.isdecimal() and key.isascii():
            self.typed = (self.typed + key)[:4]
        elif key == "backspace" and self.typed:
            self.typed = self.typed[:-1]
        elif key == "enter" and self.typed:
            self._go_to_step(int(self.typed))
        elif key == "e" and not self.typed:
            self.typed = None
            self._go(len(self.pages) - 1)
        else:
            self.typed = None

    def _go_to_step(self, number: int) -> None:
        self.typed = None
        found = next((at for at, each in enumerate(self.pages) if each.step == number), None)
        if found is None:
            self.message = f"there is no step {number} in this trial"
        else:
            self._go(found)

    def _next_rejection(self) -> None:
        found = next((at for at in range(self.at + 1, len(self.pages)) if self.pages[at].is_rejected), None)
        if found is None:
            self.message = "no further rejection in this trial"
        else:
            self._go(found)

    def _change_trial(self, by: int) -> None:
        place = self.trial_ids.index(self.trial_id) + by
        if not 0 <= place < len(self.trial_ids):
            self.message = "this is the last trial" if by > 0 else "this is the first trial"
        else:
            self._open(self.trial_ids[place])

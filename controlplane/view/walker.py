"""Walks through a trial on a full terminal screen: one page at a time, the keys in the last line.

Textual reads the keys, scrolls and owns the screen. It is slow to import, so printing to a pipe avoids this module.
"""

from __future__ import annotations

from typing import ClassVar, Final

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.events import Key
from textual.widgets import Static

from controlplane.journal.journal_content import Journal
from controlplane.view.display_text import one_line, score_style, score_text
from controlplane.view.trial_pages import pages_of

INTERRUPTED: Final = 130
"""The walk's return code after Ctrl-C."""
KEYS: Final = "n next  p back  g go to  r rejection  f {fold}  t trial  ? keys  q quit"
ALL: Final = (
    ("n → Enter", "the next page"),
    ("Space", "scroll down; at the bottom, the next page"),
    ("p ← Backspace", "the previous page"),
    ("g NUMBER Enter", "go to a step; 0 is turn one"),
    ("g e", "go to the end: score, answer, citations"),
    ("r", "the next step with a rejected answer"),
    ("f", "unfold or fold the shortened parts"),
    ("t  T", "the next trial, the previous trial"),
    ("↑ ↓  k j", "scroll by a line"),
    ("PgUp PgDn", "scroll by a window"),
    ("Home End", "top and bottom of the page"),
    ("?", "show or hide this list"),
    ("q Ctrl-D", "quit"),
)


def walk_through(journal: Journal, trial_id: str) -> None:
    """Show the trial page by page until the user quits. Raises `KeyboardInterrupt` for Ctrl-C."""
    walker = _Walker(journal, trial_id)
    walker.run(mouse=False)  # with it, users could not select and copy text
    if walker.return_code == INTERRUPTED:
        raise KeyboardInterrupt


class _Walker(App[None]):
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #title, #keys { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    VerticalScroll { border-top: solid ansi_bright_black; scrollbar-size: 0 0; }
    """
    BINDINGS: ClassVar = [
        Binding("ctrl+c", "interrupt", priority=True),
        Binding("ctrl+z", "suspend_process", priority=True),
    ]

    def __init__(self, journal: Journal, trial_id: str) -> None:
        super().__init__(ansi_color=True)
        self._journal = journal
        self._trial_ids = [trial.trial_id for trial in journal.summary.worst_first]
        self._is_folded, self._lists_keys = True, False
        self._typed: str | None = None
        """The step number being typed; None unless `g` was pressed."""
        self._title, self._body, self._keys = Static(id="title"), Static(), Static(id="keys")
        self._scroll = VerticalScroll(self._body, can_focus=False)
        self._open(trial_id)

    def _open(self, trial_id: str) -> None:
        self._trial_id, self._pages, self._at = trial_id, pages_of(self._journal, trial_id), 0

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._scroll
        yield self._keys

    def on_mount(self) -> None:
        self._show()

    def _show(self, message: str = "") -> None:
        page = self._pages[self._at]
        steps = max(page.step or 0 for page in self._pages)
        summary = self._journal.summary.trials[self._trial_id]
        title = Text(one_line(summary.task_id or summary.trial_id), style="bold")
        title.append(f" · {page.title}{f' of {steps}' if page.step else ''} · score ", style="not bold")
        title.append(score_text(summary.score), style=score_style(summary.score))
        place = self._trial_ids.index(self._trial_id) + 1
        title.append(f" · trial {place} of {len(self._trial_ids)}, worst first", style="not bold dim")
        self._title.update(title)
        width = max(len(keys) for keys, _ in ALL)
        listed = Text("\n".join(f"  {keys:<{width}}   {meaning}" for keys, meaning in ALL))
        self._body.update(listed if self._lists_keys else page.body(folded=self._is_folded))
        self._scroll.scroll_home(animate=False)
        self._tell(message)

    def _tell(self, message: str) -> None:
        keys = KEYS.format(fold="unfold" if self._is_folded else "fold")
        self._keys.update(Text(message, style="yellow").append(f"  {keys[-14:]}") if message else Text(keys))

    def on_key(self, event: Key) -> None:
        key, scroll = event.character if event.is_printable else event.key, self._scroll
        if self._lists_keys:
            self._lists_keys = False
            self._show()
            return
        if self._typed is not None:
            self._type(key or "")
            return
        match key:
            case "n" | "right" | "enter":
                self._turn(1)
            case "p" | "left" | "backspace":
                self._turn(-1)
            case " " if scroll.scroll_y >= scroll.max_scroll_y:
                self._turn(1)
            case " " | "pagedown":
                scroll.scroll_page_down(animate=False)
            case "pageup":
                scroll.scroll_page_up(animate=False)
            case "down" | "j":
                scroll.scroll_down(animate=False)
            case "up" | "k":
                scroll.scroll_up(animate=False)
            case "home":
                scroll.scroll_home(animate=False)
            case "end":
                scroll.scroll_end(animate=False)
            case "g":
                self._typed = ""
                self._tell("go to step: _   (Enter goes, e: the end)")
            case "r":
                found = [at for at in range(self._at + 1, len(self._pages)) if self._pages[at].is_rejected]
                self._go(found[0] if found else -1, "no further rejection in this trial")
            case "f":
                self._is_folded = not self._is_folded
                self._show()
            case "t":
                self._change_trial(1)
            case "T":
                self._change_trial(-1)
            case "?":
                self._lists_keys = True
                self._show("any key goes back")
            case "q" | "ctrl+d":
                self.exit()

    def _type(self, key: str) -> None:
        typed, self._typed = self._typed or "", None
        if key.isdecimal() and key.isascii():
            self._typed = (typed + key)[:4]
            self._tell(f"go to step: {self._typed}_")
        elif key == "enter" and typed:
            found = [at for at, page in enumerate(self._pages) if page.step == int(typed)]
            self._go(found[0] if found else -1, f"there is no step {typed} in this trial")
        elif key == "e" and not typed:
            self._go(len(self._pages) - 1)
        else:
            self._tell("")

    def _turn(self, by: int) -> None:
        is_last = self._trial_ids[-1] == self._trial_id
        end = f"this is the end{' of the last trial' if is_last else '; t goes to the next trial'}"
        self._go(self._at + by, end if by > 0 else "this is the beginning")

    def _go(self, at: int, otherwise: str = "") -> None:
        if 0 <= at < len(self._pages):
            self._at = at
            self._show()
        else:
            self._tell(otherwise)

    def _change_trial(self, by: int) -> None:
        place = self._trial_ids.index(self._trial_id) + by
        if 0 <= place < len(self._trial_ids):
            self._open(self._trial_ids[place])
            self._show()
        else:
            self._tell("this is the last trial" if by > 0 else "this is the first trial")

    def action_interrupt(self) -> None:
        """End the walk as Ctrl-C ends a command."""
        self.exit(return_code=INTERRUPTED)

"""The texts that calls saw at paths, and how far each of them is proof.

A text of the environment proves what it says. A text that a script supplied proves nothing,
even if a call returns it. Example:

    read("/docs/fees.md") returns `fee: 7`     a proof: an answer may say that the fee is 7
    write("/note.md", "fee: 8")                no proof
    read("/note.md") returns `fee: 8`          no proof: the trial wrote this file
    search("fee is 9") returns `no fee is 9`   no proof of these words: the script passed them
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.written_texts import WrittenTexts
from controlplane.agent.evidence.texts.own.marked_texts import mark_own_words
from controlplane.agent.evidence.texts.own.own_words import OwnWords
from controlplane.gates.trial.accesses import Action
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds


class PathTexts:
    """Adds each text that one trial's calls saw to its path, with the action of the call.

    If the action is `read` or `execute`, an answer may cite the path for a fact. If it is `write`,
    an answer may only name it as a result of the trial: “I have saved the report in `/note.md`”.

    | call | method | action |
    |---|---|---|
    | `read("/docs/fees.md")` | `add_file_text` | `read` |
    | `read("/note.md")`, which the script wrote | `add_file_text` | `write`: it is no fact |
    | `exec("/bin/count")`, which printed the text | `add_returned_text` | `execute` |
    | `write("/note.md", ...)` | `add_written_text` | `write` |
    | `move("/a.md", "/note.md")`, for its target | `add_own_text` | `write` |
    """

    def __init__(
        self, accessed: AccessedPaths, known_paths: KnownPaths, own_words: OwnWords
    ) -> None:
        self._accessed = accessed
        """Keeps the texts and actions, by path."""
        self._known_paths = known_paths
        """Knows which files the trial wrote, and which paths mean the same file."""
        self._written_texts = WrittenTexts()
        """Knows which texts the script wrote, in whichever file they are read."""
        self._own_words = own_words
        """Knows which words only scripts have used, in whichever text they are read."""

    def add_returned_text(self, path: str, action: Action, seen: SeenText) -> None:
        """Add a text that a call returned for a path, with the action of the call.

        The text does not prove `seen.script_words`, which the call itself has passed and the text
        may only repeat. Nor does it prove words that only scripts have used in earlier calls.
        """
        marked = mark_own_words(seen, self._own_words)
        self._accessed.add_action(path, action, _cut_to_bound(marked))

    def add_file_text(self, path: str, seen: SeenText) -> None:
        """Add a text that a call returned for a file, as read.

        If a script wrote this text or this file, it counts as written.
        """
        if self._known_paths.is_own(path) or seen.text in self._written_texts:
            self.add_own_text(path, seen.text, is_excerpt=seen.is_excerpt)
            return
        # The text is the environment's, so it stays one if the script copies it to another file.
        self._written_texts.add_returned(seen.text)
        self.add_returned_text(path, "read", seen)
        # The environment may accept `/fees.md` for `/docs/fees.md`. If the listings show
        # this, the answer must cite the file by its listed path.
        self._known_paths.short_paths.learn_read(path)

    def add_written_text(self, path: str, text: str) -> None:
        """Add a text that the script wrote to a file."""
        self._written_texts.add_written(text)
        self.add_own_text(path, text)
        self._known_paths.learn_written(path)

    def add_own_text(self, path: str, text: str, *, is_excerpt: bool = False) -> None:
        """Add a text of a script, as written."""
        if not self.looks_like_row(path):
            seen = SeenText(text, is_proof=False, is_excerpt=is_excerpt)
            self._accessed.add_action(path, "write", _cut_to_bound(seen))

    def looks_like_row(self, path: str) -> bool:
        """Return True if a path reads like a row of a file, `/a.csv#row=7`, and no call reached it.

        A script could write a file of this name, and then cite a row that `/a.csv` does
        not have.
        """
        return "#" in path and path not in self._accessed


def _cut_to_bound(seen: SeenText) -> SeenText:
    """Return a text, cut if it is longer than the texts that are kept and searched."""
    if len(seen.text) <= bounds.MOST_SEEN_CHARS:
        return seen
    return replace(seen, text=seen.text[: bounds.MOST_SEEN_CHARS], is_whole=False)

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
from controlplane.agent.evidence.texts.own_words import OwnWords
from controlplane.gates.trial.accesses import Action
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds


class PathTexts:
    """Adds texts to the paths at which one trial's calls saw them, and makes the paths citable.

    A path that is citable *as read* may be the source of an answer. One that is citable only
    *as written* may be named as a result of the trial: “I have saved the report in `/note.md`”.

    | call | method | its path is citable |
    |---|---|---|
    | `read("/docs/fees.md")` | `add_file_text` | as read |
    | `read("/note.md")`, which the script wrote | `add_file_text` | as written |
    | `exec("/bin/count")`, which printed it | `add_returned_text` | as executed, its `action` |
    | `write("/note.md", ...)` | `add_written_text` | as written |
    | `move("/a.md", "/note.md")`, for its target | `add_own_text` | as written |
    """

    def __init__(
        self, accessed: AccessedPaths, known_paths: KnownPaths, own_words: OwnWords
    ) -> None:
        self._accessed = accessed
        """Keeps the texts, by path. A path in it is citable."""
        self._known_paths = known_paths
        """Knows which files the trial wrote, and which paths mean the same file."""
        self._written_texts = WrittenTexts()
        """Knows which texts the script wrote, in whichever file they are read."""
        self._own_words = own_words
        """Knows which words only scripts have used, in whichever text they are read."""

    def add_returned_text(self, path: str, action: Action, seen: SeenText) -> None:
        """Add a text that a call returned for a path. It did `action` there, such as `read`.

        `seen.script_words` are the words that the call itself passed: the text may only repeat
        them. Words that only scripts have used, in earlier calls, are added to them. A text that
        has no other words is no proof.
        """
        own_words = self._own_words.words_in(seen.text)
        if own_words:
            is_all_by_scripts = self._own_words.are_all_words_of(seen.text)
            seen = replace(
                seen,
                script_words=f"{seen.script_words}\n{own_words}",  # one in each line
                is_proof=seen.is_proof and not is_all_by_scripts,
            )
        self._accessed.add_action(path, action, _cut_to_bound(seen))

    def add_file_text(self, path: str, seen: SeenText) -> None:
        """Add a text that a call returned for a file, which becomes citable as read.

        If the script wrote this text or this file, its path is citable only as written.
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
        """Add a text of the script. Its path becomes citable only as written."""
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

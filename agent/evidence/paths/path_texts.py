"""The texts that calls saw at paths, and how far each of them is proof.

A text of the environment proves what it says. A text that a script supplied proves
nothing, even if a call returns it: the script may have written it to a file, or passed
it to a tool that stores or repeats it.
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.written_texts import WrittenTexts
from controlplane.agent.evidence.texts.own_words import OwnWords
from controlplane.gates.trial.accesses import Action, SeenText
from controlplane.sandbox.interface import bounds


class PathTexts:
    """Adds the texts that one trial's calls saw at paths.

    A path is *citable as read* if an answer may name it as a source, and *citable as
    written* if only the script wrote it.
    """

    def __init__(
        self, accessed: AccessedPaths, known_paths: KnownPaths, own_words: OwnWords
    ) -> None:
        self._accessed = accessed
        self._known_paths = known_paths
        self._own_words = own_words
        """The words that only scripts have used."""
        self._written_texts = WrittenTexts()

    def add(self, path: str, action: Action, seen: SeenText) -> None:
        """Add a text that a call returned for a path.

        Words are *tainted* if the text may only repeat them from a script: they were in
        the arguments of its call, or only scripts have used them so far.
        """
        own_words = self._own_words.words_in(seen.text)
        if own_words:
            has_other_words = not self._own_words.make_up(seen.text)
            seen = replace(
                seen,
                tainted=f"{seen.tainted}\n{own_words}",  # one word in each line
                is_proof=seen.is_proof and has_other_words,
            )
        self._accessed.add_action(path, action, _cut_to_bound(seen))

    def add_file_text(self, path: str, seen: SeenText) -> None:
        """Add a text that a call returned for a file, which becomes citable as read.

        If the script wrote this text or this file, it is citable only as written.
        """
        if self._known_paths.is_own(path) or seen.text in self._written_texts:
            self.add_own_text(path, seen.text, is_excerpt=seen.is_excerpt)
            return
        self._written_texts.add_returned(seen.text)
        self.add(path, "read", seen)
        # Listings may show that the path means a file with another path.
        self._known_paths.aliases.resolve(path)

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
        """Return True if no call reached a path, and it reads like a row of a file: `/a.csv#row=7`.

        A script could write a file of this name,
        and then cite a row that `/a.csv` does not have.
        """
        return "#" in path and path not in self._accessed


def _cut_to_bound(seen: SeenText) -> SeenText:
    """Return a text, cut if it is longer than the texts that are kept and searched."""
    if len(seen.text) <= bounds.MOST_SEEN_CHARS:
        return seen
    return replace(seen, text=seen.text[: bounds.MOST_SEEN_CHARS], is_whole=False)

"""The texts that calls saw at paths, and which of them are proof.

A script could write `fee: 8` to a file, read it back, and cite it. Such a text proves nothing:

| call | method | an answer may cite the path as | the text is proof |
|---|---|---|---|
| `read("/docs/fees.md")` | `add_file_text` | read | yes |
| `read("/note.md")`, which the trial wrote | `add_file_text` | written by the trial | no |
| `write("/note.md", ...)` | `add_written_text` | written by the trial | no |
| `exec("/bin/count")`, which printed the text | `add_returned_text` | executed | yes |
| `exec("/bin/echo", "fee: 9")`, which repeats it | `add_returned_text` | executed | not of these words |
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.written_texts import WrittenTexts
from controlplane.agent.evidence.texts.own.marked_texts import mark_own_words
from controlplane.agent.evidence.texts.own.own_words import OwnWords
from controlplane.gates.trial.accesses import Action
from controlplane.gates.trial.seen_text import SeenText


class PathTexts:
    """Adds each text that one trial's calls saw to its path, with the action of the call."""

    def __init__(
        self, accessed: AccessedPaths, known_paths: KnownPaths, own_words: OwnWords
    ) -> None:
        self._accessed = accessed
        self._known_paths = known_paths
        self._written_texts = WrittenTexts()
        """Knows which texts the script wrote, in whichever file they are read."""
        self._own_words = own_words
        """Knows which words only scripts have used, in whichever text they are read."""

    def add_file_text(self, path: str, seen: SeenText) -> None:
        """Add the text of a file that was read. It is no proof if a script wrote text or file."""
        is_own_file = self._known_paths.is_own(path)
        if is_own_file or seen.text in self._written_texts:
            self.add_own_text(path, seen.text, is_excerpt=seen.is_excerpt)
            return
        # The text is the environment's, so it stays one if the script copies it to another file.
        self._written_texts.add_returned(seen.text)
        self.add_returned_text(path, "read", seen)
        self._known_paths.short_paths.learn_read(path)  # as it may be `/docs/fees.md`

    def add_written_text(self, path: str, text: str) -> None:
        """Add a text that the script wrote to a file, which is the trial's own from now on."""
        self._written_texts.add_written(text)
        self.add_own_text(path, text)
        self._known_paths.learn_written(path)

    def add_returned_text(self, path: str, action: Action, seen: SeenText) -> None:
        """Add a text that a call returned for a path, with the action of the call.

        It does not prove words that it may only repeat: `seen.script_words`, which the call has
        passed, and words that only scripts have used in earlier calls.
        """
        marked = mark_own_words(seen, self._own_words)
        self._accessed.add_action(path, action, marked)

    def add_own_text(self, path: str, text: str, *, is_excerpt: bool = False) -> None:
        """Add a text of the script, as written, unless the path looks like a row of a file."""
        if not self.looks_like_row(path):
            seen = SeenText(text, is_proof=False, is_excerpt=is_excerpt)
            self._accessed.add_action(path, "write", seen)

    def looks_like_row(self, path: str) -> bool:
        """Return True if a path reads like a row of a file, `/a.csv#row=7`, and no call reached it.

        A script could write a file of this name, and then cite a row that `/a.csv` does not have.
        """
        return "#" in path and path not in self._accessed

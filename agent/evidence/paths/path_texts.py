"""The texts that a trial's calls have returned, each at the path that an answer cites for it.

An answer may cite `/docs/fees.md` for the fee that this file states. But a script could write
`fee: 8` to a file, read it back, and cite it. Such a text is no proof:

    read("/note.md"), which the script wrote          no proof
    read("/docs/fees.md")                             proof
    exec("/bin/echo", "fee: 9"), prints `fee: 9`      no proof of these words, which it repeats
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.made_up_texts import MadeUpTexts
from controlplane.agent.evidence.paths.own_texts import add_own_text
from controlplane.agent.evidence.texts.own.marked_texts import mark_own_words
from controlplane.agent.evidence.texts.own.own_words import OwnWords
from controlplane.gates.trial.accesses import Action
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind


@dataclass(frozen=True, slots=True)
class PathTexts:
    """Adds each text that a call of one trial has returned to its path."""

    accessed: AccessedPaths
    """What calls did at each path, and which texts they saw there."""
    known_paths: KnownPaths
    """Tells if the script wrote a file."""
    made_up_texts: MadeUpTexts
    """Tells if the script wrote a text first, which a program may have copied to another file."""
    own_words: OwnWords
    """Tells which single words of a text only scripts have used before."""

    def add_file_text(self, path: str, seen: SeenText) -> None:
        """Add a text that was read in a file. It is no proof if a script wrote text or file."""
        if seen.kind is TextKind.COMPUTED:
            # A query has computed the text, such as a sum. No file has it, and it is no proof.
            self.add_returned_text(path, "read", seen)
            return
        if self.known_paths.is_own(path) or seen.text in self.made_up_texts:
            add_own_text(self.accessed, path, seen.text, seen.kind.as_own)
            return
        # Remember the text as the environment's: if the script copies it to another file, and
        # reads it there, it is not made up.
        self.made_up_texts.add_returned(seen.text)
        self.add_returned_text(path, "read", seen)
        # The path may be a short one: `/fees.md` for `/docs/fees.md`.
        self.known_paths.short_paths.learn_read(path)

    def add_returned_text(self, path: str, action: Action, seen: SeenText) -> None:
        """Add a text that a call returned for a path, with the action of the call.

        It does not prove words that it may only repeat: `seen.unproven_words`, which the call has
        passed, and words that only scripts have used in earlier calls.
        """
        marked = mark_own_words(seen, self.own_words)
        self.accessed.add_action(path, action, marked)

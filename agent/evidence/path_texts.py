"""The texts that a trial has seen at paths, and which of them are its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from controlplane.agent.evidence.paths import (
    AccessedPaths,
    KnownPaths,
    add_own_text,
    looks_like_row,
)
from controlplane.agent.evidence.texts.own import OwnWords, words_among
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.trial import Action, SeenText, TextKind

# The texts that a trial's calls have returned, each at the path that an answer cites for it.
#
# An answer may cite `/docs/fees.md` for the fee that this file states. But a script could write
# `fee: 8` to a file, read it back, and cite it. Such a text is no proof:
#
#     read("/note.md"), which the script wrote          no proof
#     read("/docs/fees.md")                             proof
#     exec("/bin/echo", "fee: 9"), prints `fee: 9`      no proof of these words, which it repeats

# Tells which texts a script made up: it wrote them before any call returned them.
#
# If a script writes `fee: 7` to `/note.md`, and a program copies the file to `/docs/note.md`,
# a read of `/docs/note.md` proves nothing. The text is recognised, whichever path it has:
#
#     add_written("fee: 7")
#     "fee: 7" in texts        -> True
#     add_returned("late: 21")            a call has read this in a file
#     add_written("late: 21")             the script copies the file
#     "late: 21" in texts      -> False: the script has not made it up


class MadeUpTexts:
    """The texts that the scripts of one trial made up, and those that calls returned.

    Texts are recognised by a hash, which takes less memory than the text.
    """

    def __init__(self) -> None:
        self._written: set[int] = set()
        """Hashes of the texts that were written before any call returned them."""
        self._returned: set[int] = set()
        """The hash of each text that a call returned."""

    def add_written(self, text: str) -> None:
        """Add a text that the script wrote.

        If a call returned it before, as for a copied file, the script did not make it up.
        """
        text_hash = _hash_of(text)
        if text.strip() and text_hash not in self._returned:
            self._written.add(text_hash)

    def add_returned(self, text: str) -> None:
        """Add a text that a call returned."""
        self._returned.add(_hash_of(text))

    def __contains__(self, text: str) -> bool:
        """Return True if a script made up the text."""
        return _hash_of(text) in self._written


def _hash_of(text: str) -> int:
    """Return the hash of a text, without the blanks at its ends, to keep less than the text."""
    return hash(text.strip())


# Marks the words in a call's result that may be the script's own, and so prove nothing.
#
# A script could have a tool store the note `fee is 7`, and cite it from the result of a later search.
# So `fee`, `is` and `7` are *own words*: no result had them before the script passed them. A text
# does not support an answer by its `unproven_words`:
#
# | text of a result | its `unproven_words` | its kind |
# |---|---|---|
# | `late: 21 EUR` | none | `WHOLE` |
# | `fee: 7 EUR` | `7`, `fee` | `WHOLE`: it still proves `EUR` |
# | `fee is 7` | `7`, `fee`, `is` | `OWN`, since it has only own words |
# | any text, if there are too many own words to keep | the whole text | `OWN` |


def _mark_own_words(seen: SeenText, own_words: OwnWords) -> SeenText:
    """Return a text with its own words added to `unproven_words`, one in each line."""
    if not own_words.words or not seen.text:
        return seen
    if own_words.is_full:
        # Any word may be an own word, so the text proves nothing.
        return _with_unproven_words(seen, seen.text, seen.kind.as_own)

    folded = fold_text(seen.text)
    found_words = words_among(own_words.words, folded)
    if not found_words:
        return seen
    unproven_words = "\n".join(sorted(found_words))
    has_only_own_words = own_words.words.issuperset(parts_of(folded))
    if has_only_own_words:
        return _with_unproven_words(seen, unproven_words, seen.kind.as_own)
    return _with_unproven_words(seen, unproven_words, seen.kind)


def _with_unproven_words(seen: SeenText, words: str, kind: TextKind) -> SeenText:
    """Return a text of this kind that proves neither these words nor its earlier unproven ones."""
    all_unproven = f"{seen.unproven_words}\n{words}"
    return replace(seen, unproven_words=all_unproven, kind=kind)


# The files that a trial's script wrote, deleted or moved. What is read there proves nothing.
#
# A script could write `fee: 8` to a file, read it back, and name the file as the proof of its answer.
# So the paths of such files are the trial's *own*. The answer may only say what was done there:
#
#     write("/note.md", "fee: 8")      /note.md is own, and was written
#     delete("/old.md")                /old.md is own, and was deleted
#     move("/old.md", "/new.md")       both are own: /old.md was deleted, and /new.md written
#
# A script may also write a file of the name `/a.csv#row=7`, which looks like row 7 of `/a.csv`. An answer
# must not name it, so neither the write nor the delete is added.


@dataclass(frozen=True, slots=True)
class FileChangeLog:
    """Adds the files that the calls of one trial changed. All paths are canonical."""

    accessed: AccessedPaths
    """What calls did at each path: here, `write` and `delete` are added."""
    known_paths: KnownPaths
    """Knows which paths are own, and where there are files."""
    made_up_texts: MadeUpTexts
    """The texts that scripts wrote. A program may have copied them to any other file."""

    def write(self, path: str, text: str) -> None:
        """Add that the script wrote a text to a file."""
        self.made_up_texts.add_written(text)
        add_own_text(self.accessed, path, text)  # nothing for an invented name
        self.known_paths.learn_written(path)

    def delete(self, path: str) -> None:
        """Add that the script deleted a file. A file that it writes there later is own as well."""
        is_script_written = self.known_paths.is_own(path)
        has_invented_name = is_script_written and looks_like_row(path, self.accessed)
        if not has_invented_name:
            self.accessed.add_action(path, "delete")
        self.known_paths.own.add(path)

    def move(self, path: str, target: str) -> None:
        """Add that the script moved a file or folder. No call has returned the text of the target."""
        self.delete(path)
        add_own_text(self.accessed, target, "")
        self.known_paths.learn_written(target)
        # The files that the trial wrote in a moved folder are own in the new one, too.
        self.known_paths.own.add_moved(path, target)


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
        marked = _mark_own_words(seen, self.own_words)
        self.accessed.add_action(path, action, marked)

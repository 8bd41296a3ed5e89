"""The texts that calls saw at paths, and how far each of them is proof.

A text of the environment proves what it says. A text that a script supplied proves
nothing, even if a call returns it: the script may have written it to a file, or passed
it to a tool that stores or repeats it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.path_aliases import PathAliases
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.evidence.texts.encoded_results import EncodedResults
from controlplane.agent.evidence.texts.own_words import OwnWords, ResultWords
from controlplane.gates.accesses import Access, Action, SeenText
from controlplane.gates.paths import canonical, spelling_key
from controlplane.gates.submission import quote
from controlplane.sandbox.interface import bounds


class PathTexts:
    """The paths that a trial's calls reached, with the texts seen there.

    Created and filled by the trial's `EvidenceLog`. A path is *citable as read* if an
    answer may name it as a source, and *citable as written* if only the script wrote it.
    """

    def __init__(self, most_text_bytes: int = 0) -> None:
        """`most_text_bytes` is the most memory for texts; 0 stands for the usual amount."""
        self.aliases = PathAliases()
        """Tells which file a path means."""
        self.accessed = AccessedPaths(most_text_bytes)
        """What calls did at each path."""
        result_words = ResultWords(self.accessed.texts)
        self.own_words = OwnWords(result_words)
        """The words that only scripts have used."""
        self.encoded_results = EncodedResults(result_words)
        """Recognises results that may be a script's own text in encoded form."""
        self._written: set[int] = set()
        """Hashes of the script's own texts: it wrote them before any call returned them."""
        self._returned: set[int] = set()
        """The hash of each text that a call returned."""

    # --- Adding texts ---

    def add(self, path: str, action: Action, seen: SeenText) -> None:
        """Add a text that a call returned for a path.

        Words are *tainted* if the text may only repeat them from a script: they were in
        the arguments of its call, or only scripts have used them so far.
        """
        # A script passed these words to a tool before any result had them.
        own_words = self.own_words.words_in(seen.text)
        if own_words:
            has_other_words = not self.own_words.make_up(seen.text)
            seen = replace(
                seen,
                tainted=f"{seen.tainted}\n{own_words}",
                is_proof=seen.is_proof and has_other_words,
            )
        self.accessed.add_action(path, action, _cut_to_bound(seen))

    def add_file_text(self, path: str, seen: SeenText) -> None:
        """Add a text that a call returned for a file, which becomes citable as read.

        If the script wrote this text or this file, it is citable only as written.
        """
        text_hash = _hash_of(seen.text)
        if self.aliases.is_own(path) or text_hash in self._written:
            self.add_own_text(path, seen.text, is_excerpt=seen.is_excerpt)
            return
        self._returned.add(text_hash)
        self.add(path, "read", seen)
        # Listings may show that the path means a file with another path.
        self.aliases.resolve(path)

    def add_written_text(self, path: str, text: str) -> None:
        """Add a text that the script wrote to a file.

        If a call returned it before, as for a copied file, it is not the script's own.
        """
        text_hash = _hash_of(text)
        if text.strip() and text_hash not in self._returned:
            self._written.add(text_hash)
        self.add_own_text(path, text)
        self.aliases.learn_written(path)

    def add_own_text(self, path: str, text: str, *, is_excerpt: bool = False) -> None:
        """Add a text of the script. Its path becomes citable only as written."""
        if not self.looks_like_row(path):
            seen = SeenText(text, is_proof=False, is_excerpt=is_excerpt)
            self.accessed.add_action(path, "write", _cut_to_bound(seen))

    def add_server_result(self, path: str, call: ReturnedCall) -> None:
        """Add the result of an MCP server's tool, at its own path: `/calls/search/2c1f`."""
        text = call.shown_text().text
        tainted = call.repeatable_text
        server = call.declared.name.partition(".")[0]  # `wiki` of `wiki.search`
        if self.encoded_results.learn_call(server, call.given_texts(), text):
            tainted = text  # All of it may be the script's own text.
        self.add(path, "read", SeenText(text, tainted=tainted, lines=()))
        self.aliases.listed.learn_path(path)

    def looks_like_row(self, path: str) -> bool:
        """Return True if no call reached a path, and it reads like a row of a file: `/a.csv#row=7`.

        A script could write a file of this name,
        and then cite a row that `/a.csv` does not have.
        """
        return "#" in path and path not in self.accessed

    # --- Paths to cite ---

    def used_path_to_cite(self, path: str) -> str:
        """Return the path by which to cite a file that a call reached by `path`.

        Return an empty text if `path` alone does not show it: if no call used it, if it
        is a folder, or if it has a fragment such as `#row=7`.
        """
        requested = canonical(path)
        was_used = requested in self.accessed or requested in self.aliases.file_of_alias
        if not was_used or "#" in path:
            return ""
        cited = self.aliases.path_to_cite(requested)
        is_folder = cited in self.aliases.listed.folders
        # Two aliases can name each other. The path to cite is then an alias, too.
        is_alias = self.aliases.path_to_cite(cited) != cited
        if is_folder or is_alias or cited not in self.accessed:
            return ""
        return cited

    def alias_notes(self, used_paths: Iterable[str]) -> tuple[str, ...]:
        """Return a note for each used path that is an alias: it must be cited by another path.

        Example: `'/Loans.md' is '/docs/Loans.md': cite it by that path.`
        """
        notes: list[str] = []
        for path in used_paths:
            cited = self.aliases.path_to_cite(path)
            if cited != path:
                notes.append(f"{quote(path)} is {quote(cited)}: cite it by that path.")
        return tuple(notes)

    # --- For the gates ---

    def accesses(self) -> dict[str, Access]:
        """Return what calls did at each file, by the path to cite."""
        return self.accessed.accesses(self.aliases.path_to_cite)

    def cited_path_of_alias(self) -> dict[str, str]:
        """Return the path to cite for each path that is not cited itself."""
        path_to_cite = self.aliases.path_to_cite
        cited_paths = {path: path_to_cite(path) for path in self.aliases.file_of_alias}
        for path in self.accessed:
            cited = path_to_cite(path)
            if cited != path:
                cited_paths[path] = cited
        return cited_paths

    def paths_by_spelling(self, accessed: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the listed and the accessed paths by their spelling key.

        All spellings of a path share this key: `/a.md` for `/A.md`.
        """
        paths_by_key = dict(self.aliases.listed.by_key)
        for path in accessed:
            key = spelling_key(path)
            spellings = paths_by_key.get(key, ())
            if path not in spellings:
                paths_by_key[key] = (*spellings, path)
        return paths_by_key


def _hash_of(text: str) -> int:
    """Return a hash by which a text is recognised. It takes less memory than the text."""
    return hash(text.strip())


def _cut_to_bound(seen: SeenText) -> SeenText:
    """Return a text, cut if it is longer than the texts that are kept and searched."""
    if len(seen.text) <= bounds.MOST_SEEN_CHARS:
        return seen
    return replace(seen, text=seen.text[: bounds.MOST_SEEN_CHARS], is_whole=False)

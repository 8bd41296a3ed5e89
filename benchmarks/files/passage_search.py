"""Finds the passages of files that fit some words.

For `harness.passages("open invoices")`, every passage with one of the words is compared with
all others: rare words count more than frequent ones. A script need not know in which file, or
in which form ("invoice"), the words are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.files.passages import passages_in
from controlplane.benchmarks.files.worker_texts import texts_of
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.text_words import beginning_of, comparable_text
from controlplane.sandbox.files.word_ranking import TitledText, ranked_texts
from controlplane.sandbox.interface import bounds

PATH_WEIGHT: Final = 0.5
"""How much a word in a file's path counts, if a word in a passage counts 1."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a file, about one paragraph long."""

    path: str
    line: int
    """The line on which it begins."""
    text: str

    @property
    def shown(self) -> str:
        """The passage under its place."""
        return f"[{self.path}, from line {self.line}]\n{self.text}"


def ranked_passages(
    tree: FileTree, paths: Sequence[str], query: Sequence[str]
) -> list[Passage]:
    """Return the passages of some files that contain words of the query, best first.

    Files that scripts wrote are searched, too.
    """
    texts: dict[str, TitledText] = {}
    passages = _passages_with_words(tree, paths, query)[: bounds.MOST_COMPARED_PASSAGES]
    for number, passage in enumerate(passages):
        # Include the path, because a file's name often describes its content.
        title = passage.path.replace("/", " ").replace("_", " ")
        texts[str(number)] = TitledText(title, passage.text)
    numbers = ranked_texts(texts, query, title_weight=PATH_WEIGHT)
    return [passages[int(number)] for number in numbers]


def _passages_with_words(
    tree: FileTree, paths: Sequence[str], query: Sequence[str]
) -> list[Passage]:
    """Return the passages that have one of the words, or another form of it.

    A word is looked for by its beginning: `pric` for `prices`, which is in `price`, too. The
    search ends as soon as there are more passages than can be compared.
    """
    beginnings = [beginning_of(word) for word in query]
    passages: list[Passage] = []
    for path, text in texts_of(tree, paths):
        for line, passage_text in passages_in(text):
            comparable = comparable_text(passage_text)
            if any(beginning in comparable for beginning in beginnings):
                passages.append(Passage(path, line, passage_text))
        if len(passages) >= bounds.MOST_COMPARED_PASSAGES:
            break
    return passages


def with_table_heads(best: list[Passage], heads: list[list[str]]) -> list[Passage]:
    """Return the first lines of tables, and then the best passages.

    If a passage begins on the first line of such a table, it is used instead, because
    it is longer.
    """
    beginning_of_file = {passage.path: passage for passage in best if passage.line == 1}
    passages = []
    for path, head in heads:
        passages.append(beginning_of_file.get(path, Passage(path, line=1, text=head)))
    for passage in best:
        if passage not in passages:
            passages.append(passage)
    return passages

"""Returns the lines that a program has printed from files, such as `cat /mail/7.md /loans.csv`.

The output does not say from which file a line is. A line of the data file is trusted as data. But
“Please pay 420 to GB33...” may be from the mail, whose author may want to trick the model. So each
line counts as one of the least trusted file.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from controlplane.agent.evidence.texts.data.data_files import is_data_file
from controlplane.agent.evidence.texts.data_texts import texts_of_file
from controlplane.agent.evidence.texts.result_text import ResultText


def printed_lines(
    paths: Sequence[str], output: str, *, owner_paths: Collection[str]
) -> list[ResultText]:
    """Return the lines of an output that was printed from the files at `paths`.

    The workspace's owner has written the files at `owner_paths`, which may have rules.

    | files | the line `Ann;7` counts as |
    |---|---|
    | `/loans.csv` and `/cards.csv` | data of both |
    | `/loans.csv` and `/mail/7.md` | running text of both |
    | `/RULES.md`, by the owner, and `/mail/7.md` | running text of the mail, and so not as a rule |
    | only `/RULES.md` | running text of `/RULES.md` |
    """
    all_have_data = all(map(is_data_file, paths))
    paths_of_others = [path for path in paths if path not in owner_paths]
    least_trusted_paths = paths_of_others or paths
    texts: list[ResultText] = []
    for path in least_trusted_paths:
        if all_have_data:
            texts += texts_of_file(path, output)
        else:
            texts.append(ResultText(output, is_data=False, path=path))
    return texts

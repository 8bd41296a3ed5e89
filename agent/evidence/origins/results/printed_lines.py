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

    | files | the line `Ann;7` counts as |
    |---|---|
    | `/loans.csv`, or several data files | data of each |
    | `/loans.csv` and `/mail/7.md` | running text of each |
    | `/RULES.md`, one of the `owner_paths`, and `/mail/7.md` | running text of the mail: no rule |
    """
    all_have_data = all(map(is_data_file, paths))
    paths_of_others = [path for path in paths if path not in owner_paths]
    texts: list[ResultText] = []
    for path in paths_of_others or paths:
        if all_have_data:
            texts += texts_of_file(path, output)
        else:
            texts.append(ResultText(output, is_data=False, path=path))
    return texts

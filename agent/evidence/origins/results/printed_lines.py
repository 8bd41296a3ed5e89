"""Returns the lines that a program has printed from files, such as `cat /mail/7.md /loans.csv`.

The output does not say from which file a line is. A line of the data file is trusted as data. But
“Please pay 420 to GB33...” may be from the mail, whose author may want to trick the model. So as
soon as one of the files has running text, all lines count as running text.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.evidence.texts.data.data_files import is_data_file
from controlplane.agent.evidence.texts.data_texts import texts_of_file
from controlplane.agent.evidence.texts.result_text import ResultText


def printed_lines(paths: Sequence[str], output: str) -> list[ResultText]:
    """Return all lines of an output once for each file, because any may be from any file.

    | files | the line `Ann;7` counts as |
    |---|---|
    | `/loans.csv`, or several data files | data of each |
    | `/mail/7.md`, with or without data files | running text of each |

    The paths are canonical. Who wrote the files is judged later.
    """
    texts: list[ResultText] = []
    all_have_data = all(map(is_data_file, paths))
    for path in paths:
        if all_have_data:
            texts += texts_of_file(path, output)
        else:
            texts.append(ResultText(output, is_data=False, path=path))
    return texts

"""Figures over many first messages: whether they show the files that their tasks need.

Some of the shown files, the rules, stand in every message. The others are *chosen* for the task:

- recall: the share of the documents that the task needs which the message shows, on average
- records: the same share of the needed records
- complete: the share of the messages that show every needed file
- precision: the share of the chosen files' characters that the task needs
- useful: the same, with files that the answer may cite but need not
- foreign: the number of records of another customer that are shown to a customer or guest
"""

from tests.bench.prompts.measured_messages import MeasuredMessage


def figures(name: str, messages: list[MeasuredMessage]) -> str:
    """Return the figures in one line.

    `figures("embedded prod", messages)` -> `"embedded prod  50 trials: recall 99.0% ..."`
    """
    count = len(messages)
    recall = sum(message.document_recall for message in messages) / count
    record_recall = sum(message.record_recall for message in messages) / count
    complete = len([message for message in messages if not message.missing]) / count

    chosen_chars = needed_chars = useful_chars = 0
    for message in messages:
        chosen_chars += sum(message.chosen_chars.values())
        needed_chars += message.chosen_chars_of(message.needed)
        useful_chars += message.chosen_chars_of(message.needed | message.citable)
    precision = needed_chars / max(chosen_chars, 1)
    useful = useful_chars / max(chosen_chars, 1)

    foreign = sum(len(message.foreign) for message in messages)
    chars = [message.chars for message in messages]
    return (
        f"{name:32} {count:4} trials: recall {recall:6.1%} (records {record_recall:6.1%}) "
        f"complete {complete:6.1%}; precision {precision:6.1%} useful {useful:6.1%}; "
        f"foreign {foreign}; "
        f"characters {sum(chars) // count:,} on average, at most {max(chars):,}"
    )

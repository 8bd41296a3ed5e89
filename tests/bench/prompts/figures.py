"""Figures over many first messages: whether they show the files that their tasks need.

`figures("embedded prod", messages)` is a line such as
`embedded prod    50 trials: recall  99.0% (records  98.2%) complete  96.0%; precision  41.3% ...`.
"""

from tests.bench.prompts.measured_messages import MeasuredMessage


def figures(name: str, messages: list[MeasuredMessage]) -> str:
    """Return one line of figures over messages: `embedded prod  50 trials: recall 99.0% ...`."""
    count = len(messages)
    recall = sum(message.recall for message in messages) / count
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

"""Reads how a workspace names things: out of its documents, its listing and the forms of its values."""

from toolkit.layout.field_shapes import Data, Shape, every_row, keys_of, rows_of, shape_of
from toolkit.layout.followups import followup_helps, followup_reads
from toolkit.layout.foreign_ids import is_foreign_id
from toolkit.layout.marked_words import marked_behind, marked_words, most_marked, named_paths
from toolkit.layout.tables import columns_called, table_rows

__all__ = [
    "Data",
    "Shape",
    "columns_called",
    "every_row",
    "followup_helps",
    "followup_reads",
    "is_foreign_id",
    "keys_of",
    "marked_behind",
    "marked_words",
    "most_marked",
    "named_paths",
    "rows_of",
    "shape_of",
    "table_rows",
]

"""Records of a workspace: their ids, who owns them, who asks for them."""

from toolkit.records.asker_identity import Identity, read_identity
from toolkit.records.ids import folded_id, is_same_id
from toolkit.records.named_records import linked_paths, named_records, repaired_paths
from toolkit.records.record import Record, RecordKeys, id_of, stem_of
from toolkit.records.record_choice import ChoiceKind, RecordChoice, choose_record
from toolkit.records.record_groups import RecordGroup, record_groups
from toolkit.records.staff import leads_branch, role_holders, shielded, staff_with_role
from toolkit.records.workspace_records import MOST_READ, RecordReader, WorkspaceRecords

__all__ = [
    "MOST_READ",
    "ChoiceKind",
    "Identity",
    "Record",
    "RecordChoice",
    "RecordGroup",
    "RecordKeys",
    "RecordReader",
    "WorkspaceRecords",
    "choose_record",
    "folded_id",
    "id_of",
    "is_same_id",
    "leads_branch",
    "linked_paths",
    "named_records",
    "read_identity",
    "record_groups",
    "repaired_paths",
    "role_holders",
    "shielded",
    "staff_with_role",
    "stem_of",
]

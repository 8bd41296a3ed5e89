"""Records of a workspace: their ids, who owns them, who asks for them."""

from toolkit.records.asker_identity import Identity, read_identity
from toolkit.records.ids import folded_id, is_same_id

__all__ = ["Identity", "folded_id", "is_same_id", "read_identity"]

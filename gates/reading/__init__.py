"""How a rule of a pack reads the workspace."""

from gates.reading.workspace_reader import DoesNotApply as DoesNotApply
from gates.reading.workspace_reader import ReadCall as ReadCall
from gates.reading.workspace_reader import Reader as Reader
from gates.reading.workspace_reader import ReadLimits as ReadLimits
from gates.reading.workspace_reader import Unanswered as Unanswered
from gates.reading.workspace_reader import Unread as Unread

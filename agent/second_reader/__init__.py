"""A model that reads what the gates accept, and objects by quoting."""

from controlplane.agent.second_reader.quotations import quoted_in
from controlplane.agent.second_reader.review import AskReader, review_of

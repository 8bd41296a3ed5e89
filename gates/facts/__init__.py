"""What a trial's evidence says: records with their ids, states and owners, rows of look-ups, the workspace's words."""

from gates.facts.records import Fields as Fields
from gates.facts.records import Reading as Reading
from gates.facts.records import Record as Record
from gates.facts.records import fields_of as fields_of
from gates.facts.records import id_of as id_of
from gates.facts.records import id_prefix as id_prefix
from gates.facts.records import is_id as is_id
from gates.facts.records import kind_of as kind_of
from gates.facts.rows import Table as Table
from gates.facts.rows import rows_of as rows_of
from gates.facts.trial_facts import Named as Named
from gates.facts.trial_facts import TrialFacts as TrialFacts
from gates.facts.trial_facts import facts_of as facts_of
from gates.facts.vocabulary import is_state_like as is_state_like
from gates.facts.word_stems import Mention as Mention
from gates.facts.word_stems import compound_stem as compound_stem
from gates.facts.word_stems import mentions_in as mentions_in
from gates.facts.word_stems import stems_in as stems_in
from gates.types.terms import is_boilerplate as is_boilerplate

"""Compares what an answer claims with what the evidence shows: states, deeds, owners, sets."""

from gates.claims.changed_records import fault_of_changed_records as fault_of_changed_records
from gates.claims.claimed_absences import fault_of_absence as fault_of_absence
from gates.claims.claimed_deeds import faults_of_deeds as faults_of_deeds
from gates.claims.common_words import telling_words as telling_words
from gates.claims.contradicted_refusals import faults_of_refusals as faults_of_refusals
from gates.claims.enumerated_sets import fault_of_enumerated_set as fault_of_enumerated_set
from gates.claims.named_classes import fault_of_named_class as fault_of_named_class
from gates.claims.named_members import Member as Member
from gates.claims.named_members import names_set as names_set
from gates.claims.record_reasons import words_that_tell as words_that_tell
from gates.claims.stated_states import faults_of_stated_states as faults_of_stated_states

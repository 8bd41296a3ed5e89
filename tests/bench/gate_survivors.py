"""Why mutants of the gates that no test notices are no gaps; `gate_mutants.py` prints it."""

# ruff: noqa: E501 - a mutant is told in one line

_ONE_MORE = "one more near path is looked up, for a line that the message has no room for"

REASONS: dict[str, str] = {
    "request_kinds._find: `kind.words and (not any(map(lowered.__contains__, kind.words)))` -> `False`": (
        "saves a search that finds nothing without those words"
    ),
    "evidence.Evidence._look_up: `touch is None and path not in self.directories` -> `path not in self.directories`": (
        "saves time: a touched path stands among the folded ones as well, under its own spelling"
    ),
    "cited_values.fault_of_cited_field: `{each.kind for each in contract.clauses} <= _PLAIN_FORMS` -> "
    "`{each.kind for each in contract.clauses} < _PLAIN_FORMS`": "no contract has both kinds at once",
    "cited_subjects._fixed: `for each in contract.clauses if contract.is_enforced` -> `for each in contract.clauses`": (
        "an answer that breaks one of two demands in conflict is fixed by neither; no such request was found"
    ),
    "evidence.Evidence.find: `self.has_trace` -> `True`": "saves time: without a trace there is nothing to find",
    "gate2_fact_shapes.judge_fact_shapes: `len(faults) < MAX_FAULTS` -> `len(faults) <= MAX_FAULTS`": _ONE_MORE,
    "gate5_justification.judge_justification: `len(faults) < MAX_FAULTS` -> `len(faults) <= MAX_FAULTS`": _ONE_MORE,
    "stated_values._faults_of_paths: `len(faults) < MAX_FAULTS` -> `len(faults) <= MAX_FAULTS`": _ONE_MORE,
    "canonical_paths.canonical: `path.startswith('/') and '//' not in path and ('/.' not in path) and "
    "(not path.endswith('/'))` -> `False`": "saves time: such a path is its own canonical spelling",
    "gate4_read_citations.judge_read_citations: `len(faults) < MAX_FAULTS` -> `len(faults) <= MAX_FAULTS`": _ONE_MORE,
    "terms._spelled_tokens: `not text.isascii()` -> `True`": "saves time: ASCII has no marks to leave out",
    "terms.fold_text: `text.isascii()` -> `False`": "saves time: ASCII has no accents, and one lower case",
    "yes_no._stands_alone: `re.search(f'(?<![^\\\\W_]){re.escape(word)}(?![^\\\\W_])', text) is not None` -> "
    "`re.search(f'(?<![^\\\\W_]){re.escape(word)}(?![^\\\\W_])', text) is None`": (
        "of two words exactly one stands where exactly one does not"
    ),
    "answer_contract._sentence_clauses: `for each in sentences_of(text) if CUE.search(each[0]) is not None` -> `for each in sentences_of(text)`": "saves time: without a cue no frame is found",
    "literal_forms.template_clauses: `'%' not in frame.tail and 'NUMBER' not in frame.tail and (':N' not in frame.tail)` -> `False`": "saves a search that finds no template",
    "rules_clauses.rules_clauses: `not rules or CUE.search(rules) is None` -> `CUE.search(rules) is None`": "saves time: each sentence is asked for a cue again",
    "rules_clauses.rules_clauses: `not rules or CUE.search(rules) is None` -> `False`": "saves time: each sentence is asked for a cue again",
    "rules_clauses.rules_clauses: `not rules or CUE.search(rules) is None` -> `not rules and CUE.search(rules) is None`": "saves time: each sentence is asked for a cue again",
    "rules_clauses.rules_clauses: `not rules or CUE.search(rules) is None` -> `not rules`": "saves time: each sentence is asked for a cue again",
    "sentences.own_words: `'\"' in text or \"'\" in text` -> `True`": "saves a search that finds nothing to blank out",
    "sentences.own_words: `` '```' in text or '>' in text `` -> `True`": "saves a search that finds nothing to blank out",
    "value_forms._noun_from: `place - first < 5` -> `place - first < 6`": "a phrase of more than four words is none, however far it is read",
    "value_forms._noun_from: `place - first < 5` -> `place - first <= 5`": "a phrase of more than four words is none, however far it is read",
    "value_forms._noun_from: `place < len(tokens) and place - first < 5 and _goes_on(tokens[place][0], is_first=place == first)` -> `place < len(tokens) and _goes_on(tokens[place][0], is_first=place == first)`": "a phrase of more than four words is none, however far it is read",
    "yes_no._asks_yes_no: `max(text.rfind('\\n'), text.rfind('?', 0, -1), 0)` -> `min(text.rfind('\\n'), text.rfind('?', 0, -1), 0)`": "saves time: the pattern finds the last question from further back as well",
    "yes_no._asks_yes_no: `not text.endswith('?')` -> `False`": "the pattern asks for the question mark again",
    "terms.lookup_terms: `len(token) <= _MAX_KEPT_CHARS` -> `len(token) < _MAX_KEPT_CHARS`": "whether a result is kept",
    "records._Collected.add_all: `self._left > 0` -> `self._left >= 0`": "saves time: no value is added any more",
    "statements._stated_states: `not named or not facts.states` -> `not facts.states`": "saves time: without a named record no word is a state",
    "trial_facts.TrialFacts._states_by_name: `record.path not in self._states_of` -> `True`": "saves time: the states stay the same",
    "trial_facts.TrialFacts._stems_of: `line not in self._line_stems` -> `True`": "saves time: the stems of a line stay the same",
    "trial_facts.TrialFacts.owner_against: `path not in self._others and path in self.records` -> `path in self.records`": "saves time: an owner stays the same",
    "trial_facts.TrialFacts._states_by_name: `of_kind` -> `True`": "saves time: no name is among no states",
    "trial_facts._Same.__eq__: `isinstance(other, _Same) and other.evidence is self.evidence` -> `isinstance(other, _Same) or other.evidence is self.evidence`": "no other key is ever compared with it",
    "trial_facts._Same.__eq__: `isinstance(other, _Same) and other.evidence is self.evidence` -> `other.evidence is self.evidence`": "no other key is ever compared with it",
    "trial_facts._Same.__eq__: `isinstance(other, _Same) and other.evidence is self.evidence` -> `isinstance(other, _Same)`": "no other key is ever compared with it",
    "found_records.lines_short: `rowless and stock` -> `stock`": "saves calls: without such a product nothing is looked up",
    "refunds._steps: `returned or shop.example(Kind.RETURN)` -> `shop.example(Kind.RETURN)`": "saves calls: any return tells the states of all",
    "evidence.Evidence._look_up: `touch is None and path not in self.directories` -> `True`": "saves time: a known path stands among the folded ones as well, under its own spelling",
    "evidence.Evidence._look_up: `touch is None and path not in self.directories` -> `touch is None or path not in self.directories`": "saves time: a known path stands among the folded ones as well, under its own spelling",
    "evidence.Evidence._look_up: `touch is None and path not in self.directories` -> `touch is None`": "saves time: a listed folder stands among the folded paths as well, under its own spelling",
    "evidence.SeenText.holds_any: `self.echoed` -> `True`": "saves time: no words are no echo",
    "identity.owner_against: `prefixes` -> `True`": "saves time: no id has a prefix that is not there",
    "records._Collected.add_all: `depth < _MAX_DEPTH and self._left > 0` -> `depth < _MAX_DEPTH`": "saves time: no value is added any more",
    "records._Collected.add_all: `isinstance(data, str)` -> `False`": "saves time: a text as text is itself",
    "records._lines_as_fields: `for each in found if each` -> `for each in found`": "for the type checker: only matches were taken",
    "term_index.TermIndex._holds_compound: `not TOKEN.fullmatch(term) or not self._words.issuperset(parts_of(term))` -> `not TOKEN.fullmatch(term)`": "saves time: a compound is not found where one of its parts is missing",
    "term_index.TermIndex._holds_number: `digits in self._digits and digits in self._numbers` -> `digits in self._numbers`": "saves time: the digits of every number are among all digits",
    "term_index.TermIndex._holds_stem: `len(letters) < STEM_LETTERS` -> `len(letters) <= STEM_LETTERS`": "a word that is one letter longer than a stem has it in any case",
    "term_index.TermIndex.holds: `not term.isalnum() and self._holds_compound(term)` -> `self._holds_compound(term)`": "saves time: a word that is no compound is one of the words or not there",
    "terms._without_marks: `marks` -> `True`": "saves time: without marks nothing is left out",
    "terms.lookup_terms: `len(token) <= _MAX_KEPT_CHARS` -> `False`": "whether a result is kept",
    "terms.lookup_terms: `len(token) <= _MAX_KEPT_CHARS` -> `True`": "whether a result is kept",
    "terms.parts_of: `folded.isascii()` -> `False`": "saves time: both ways give the same parts",
    "trial_facts.TrialFacts.tied_to: `tied` -> `True`": "saves time: no path is among no ties",
    "changed_records.fault_of_changed_records: `submission.outcome != OK or not evidence.changes` -> `submission.outcome != OK`": "saves time: without a change nothing was changed",
    "answer_contract._block_clauses: `'%' not in text` -> `False`": "saves a search that finds no template",
    "answer_contract._block_clauses: `'\\t' in text` -> `True`": "saves a search that finds no table",
    "list_forms.column_clauses: `' | ' in frame.tail` -> `True`": "saves a search that finds no columns",
    "format_clauses.lines_clause.accepts: `any((not line for line in lines))` -> `False`": "an empty line among several is no item either, and an answer of one line has none",
    "format_clauses.lines_clause.accepts: `any((not line for line in lines))` -> `all((not line for line in lines))`": "an empty line among several is no item either",
    "claimed_deeds._states_what_held: `stated` -> `True`": "saves time: without a stated state nothing is compared",
    "claimed_deeds._states_what_held: `stated` -> `True` (2)": "saves time: without a stated state nothing is compared",
    "claimed_absences.fault_of_absence: `submission.outcome not in (OK, UNSUPPORTED) or not failed or evidence.changes` -> `submission.outcome not in (OK, UNSUPPORTED) or evidence.changes`": "saves time: without a failed look-up none was in vain",
    "claimed_absences._without_values: `' ' in each.strip() and each in answer` -> `' ' in each.strip()`": "saves time: what is not in the answer is not replaced there",
    "gate5_justification._is_justified: `words and _names_what_is_there(words, touch)` -> `_names_what_is_there(words, touch)`": "saves time: no word names nothing",
    "gate5_justification.judge_justification: `len(faults) < MAX_FAULTS` -> `True`": "saves time: the message has no room for further lines",
    "stated_values._faults_of_paths: `len(faults) < MAX_FAULTS` -> `True`": "saves time: the message has no room for further lines",
    "stated_values._are_deletions: `stated <= deleted` -> `stated < deleted`": "where all that was deleted is listed there is no fault either way",
    "enumerated_sets._sets_in: `for each in found.values() if len(each) > 1` -> `for each in found.values()`": "of a set of one there is no part",
    "enumerated_sets._sets_in: `len(each) > 1` -> `len(each) >= 1`": "of a set of one there is no part",
    "enumerated_sets._sets_listed: `all(chosen)` -> `any(chosen)`": "all that are chosen are alike",
    "enumerated_sets.fault_of_enumerated_set: `not evidence.has_trace` -> `False`": "saves time: without a trace no id is known",
    "stated_states.faults_of_stated_states: `submission.outcome != OK or not evidence.has_trace` -> `submission.outcome != OK`": "saves time: without a trace no record is known",
    "contradicted_refusals.faults_of_refusals: `not evidence.has_trace or submission.outcome not in REFUSALS` -> `submission.outcome not in REFUSALS`": "saves time: without a trace there is neither a change nor a record",
    "contradicted_refusals.faults_of_refusals: `evidence.changes and (not _is_any_told(submission.answer_text, facts))` -> `not _is_any_told(submission.answer_text, facts)`": "saves time: without changes none stands",
    "withheld_values._gives_what_is_asked: `not any(map(str.isdigit, chunk)) and folded not in facts.paths_by_id` -> `False`": "saves time: a date has digits, and any other value is a known id",
    "gate8_literal_tokens.count_occurrences: `len(each) > len(token) and token in each` -> `len(each) > len(token)`": "saves a search: a token lies in no alternative that does not hold it",
    "subjects._phrase: `start < len(tokens)` -> `start <= len(tokens)`": "one more turn, which finds nothing",
}

"""Why mutants of the gates that no test notices are no gaps; `gate_mutants.py` prints it."""

_ONE_MORE = "one more near path is looked up, for a line that the message has no room for"

REASONS: dict[str, str] = {
    "request_kinds._find: `kind.words and (not any(map(lowered.__contains__, kind.words)))` -> `False`": (
        "saves a search that finds nothing without those words"
    ),
    "evidence.Evidence._look_up: `touch is None and path not in self.directories` -> `path not in self.directories`": (
        "saves time: a touched path stands among the folded ones as well, under its own spelling"
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
}

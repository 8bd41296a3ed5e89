"""Bounds, each with its reason, by kind: what comes in from outside, what is shown, how long something is waited for.

`MOST_` and `LEAST_` bound bytes, characters and counts that come in, `SHOWN_` what a model or a screen is shown, and
names that end in `_S` are seconds. Modules use `bounds.NAME`, so that a test that replaces a bound does so everywhere.
Settings have their defaults in `controlplane.configuration`, a script's and a worker's limits theirs in
`controlplane.sandbox.interface.host`; the parameters of an algorithm stand beside it.
"""


# What comes in from outside: of models and platforms

# A model's or a platform's reply, decompressed: its line in a journal has escapes.
MOST_REPLY_BYTES = 32 << 20

# A model's reply that is looked through for its action: more is a loop of the model's.
MOST_PARSED_CHARS = 400_000

# Tokens or money that a model reports for one request: none can use more.
MOST_USAGE = 10**9

# A count, an amount, or a time in milliseconds: floats hold it exactly.
MOST_NUMBER = 10**15

# Submissions of one trial that are judged; then the trial ends by its fallback.
MOST_SUBMISSIONS = 12

# Why an endpoint, a platform or a process of ours refuses a call: more is a page.
MOST_REFUSAL_CHARS = 1_000

# A message of others: a page, or a whole reply, may be in it.
MOST_FAULT_CHARS = 10_000


# Of scripts and their processes

# Nested lists and mappings of a result, or of a JSON schema: what walks through them calls
# itself.
MOST_LEVELS = 100

# Lists and mappings of a message or a result: each takes far more time and memory than its
# text.
MOST_PARTS = 10_000

# Values of a message or a result that follow another value.
MOST_VALUES = 400_000

# A whole number as an argument: a longer one may have too many digits to be sent.
MOST_INT_BITS = 64

# A setting, a word of a fork server, or a script with its scratchpad, with room.
MOST_REQUEST_BYTES = 1 << 24

# A message to a script's process, whose sender is trusted.
MOST_FROM_PARENT = 1 << 30

# Calls of one function of a benchmark: what needs more is left to a script.
MOST_FUNCTION_CALLS = 300

# Nested values of a scratchpad: the child writes them by functions that call themselves.
MOST_SCRATCHPAD_LEVELS = 60

# Lists and mappings of a scratchpad: each costs the parent far more than its text.
MOST_SCRATCHPAD_PARTS = 5_000

# A whole number of a scratchpad: Python writes 4,300 decimal digits and no more.
MOST_KEPT_BITS = 13_000


# Of files, trees and searches

# A path, in the file tree and in evidence: four times the longest name.
MOST_PATH_CHARS = 1_024

# Folders within folders: walks and paths grow with them.
MOST_FOLDER_LEVELS = 40

# All changes of a world: the parent keeps them and sends them to every new worker.
MOST_WRITTEN_BYTES = 2_000_000

# What a tool that joins files prints: it may be given one file many times.
MOST_OUTPUT_CHARS = 2_000_000

# A regular expression: its automaton takes many times its length.
MOST_PATTERN_CHARS = 4_000

# A glob: no name is longer.
MOST_GLOB_CHARS = 255

# One line that is searched: what stands behind them is not matched.
MOST_SEARCHED_LINE_BYTES = 250_000

# A reason that a script gives: less names nothing.
LEAST_REASON_CHARS = 8


# Of evidence and submissions

# Texts that a trial's evidence keeps; a word missing from a cut text proves nothing.
MOST_EVIDENCE_BYTES = 4_000_000

# One of these texts: its words and lines are indexed.
MOST_SEEN_CHARS = 1_000_000

# Function results of a trial, and its last scripts with what they printed, which gates read.
MOST_KEPT_CHARS = 200_000

# Texts in which quotations are looked for: a trial may ask for one again and again.
MOST_QUOTED_CHARS = 50_000_000

# Paths that calls of a trial make citable: each keeps what was read there.
MOST_CITABLE_PATHS = 3_000

# Paths that calls named before any listing showed them.
MOST_UNSETTLED = 500

# Paths that a trial learns from listings, and those that it makes citable.
MOST_PATHS_CHARS = 1_000_000

# Paths that a trial learns from listings; later ones count as not listed.
MOST_LISTED_PATHS = 20_000

# A script's own words that are kept; beyond them every later text counts as its own.
MOST_OWN_WORDS = 50_000

# Texts in which the origin of a value is looked up; beyond them it counts as prose.
MOST_TRACED_CHARS = 32 << 20

# Keys of those texts, each of which takes about 150 bytes; beyond them a value counts as prose.
MOST_TRACED_KEYS = 500_000

# Items of one argument whose origin is looked up before a call is sent; an argument with more counts as prose.
MOST_TRACED_VALUES = 2_000

# One text, or one result's value, that is compared with others.
MOST_COMPARED_CHARS = 20_000

# A quotation: a longer one is a page.
MOST_QUOTATION_CHARS = 1_000

# An answer: a message of an MCP client may hold more.
MOST_ANSWER_CHARS = 1_000_000

# Entries of `tokens`: those that a reader must find.
MOST_TOKENS = 100

# Entries of `changes`: a step makes no more calls.
MOST_DECLARED = 1_000

# A text that is read as a record or a table: each of its values becomes an object.
MOST_RECORD_CHARS = 100_000

# Rows of such a table, likewise.
MOST_RECORD_ROWS = 2_000

# An instruction, or rules, that are searched.
MOST_REQUEST_CHARS = 50_000

# Values of one text: the time to compare them grows with the square of their number.
MOST_READ_VALUES = 300

# Dates and times of one text, of each form: each is an object that is kept.
MOST_DATES = 5_000

# One line whose words are compared with those around a value.
MOST_LINE_CHARS = 2_000


# Of files that people write, and of journals

# Settings, servers, a task or a prompt under improvement: a larger file is a mistake.
MOST_TEXT_BYTES = 1_000_000

# A prompt, and hints: every first request carries them.
MOST_PROMPT_CHARS = 32_000

# The name of a run, a task or a benchmark: lines and names of files hold it.
MOST_NAME_CHARS = 200

# A line of a journal, a kept reply, any JSON document whose reader names no other bound.
MOST_LINE_BYTES = 64 << 20

# A user's file that is changed: it is held twice.
MOST_EDITED_BYTES = 16_000_000

# The list of changes by which an undo goes: paths and hashes.
MOST_UNDO_BYTES = 1 << 28

# Texts in which the claims of an answer are looked for, in memory.
MOST_READ_BYTES = 100_000_000

# Submitted runs of a benchmark in this process; older ones are forgotten.
MOST_CLOSED_RUNS = 200

# Runs of a sweep: all play at the same time.
MOST_RUNS = 50


# Of MCP servers and clients, and of the wire server's

# One MCP message, or all pages of a server's list of tools.
MOST_MESSAGE_BYTES = 4_000_000

# Lists and objects of one MCP message: each takes many times its bytes in memory.
MOST_OBJECTS = 60_000

# Tools, or resources, of one server: each becomes an operation.
MOST_TOOLS = 1_000

# Calls of clients that run or wait; a further one is refused at once.
MOST_PENDING = 32

# Questions that are open in one process: each has processes of its own.
MOST_QUESTIONS = 8

# Running trials of the wire server; one run may have more, if its options select as many.
MOST_RUNNING_TRIALS = 200

# Request bytes of the writes and answers of all its running trials.
MOST_HELD_BYTES = 24_000_000

# Processes of its trials that are kept between calls.
MOST_TRIAL_PROCESSES = 12


# Of files that a question is about, and of tasks in a folder

# Files of a question, unless `most_files` says otherwise.
MOST_FILES = 20_000

# All of them, unless `total_mb` says otherwise.
MOST_TOTAL_MB = 1_000.0

# A file that is searched, unless `file_mb` says otherwise.
MOST_FILE_MB = 8.0

# A text that can be read in part, and as a table; above `file_mb` it is not searched.
MOST_LARGE_MB = 100.0

# Files that are compared passage by passage, or known by their content.
MOST_SEARCHED_BYTES = 20_000_000

# Files among which the initial prompt looks for those that the question names.
MOST_NAMED_AMONG = 2_000

# One read: with its escapes it fits the frame in which a script gets a result.
MOST_READ_CHARS = 600_000

# One result of reads as JSON, where characters take several bytes: with its frame it is no longer than
# a message to a script's process may be.
MOST_RESULT_BYTES = 900_000

# Passages that one search compares, for its time.
MOST_PASSAGES = 6_000

# Words of one search for passages: each is a term of its query.
MOST_WORDS = 200

# Rows of one query's result: a script can go on with an offset.
MOST_TABLE_ROWS = 1_000

# Columns of a table: more is a matrix.
MOST_COLUMNS = 500

# Files of a listing that a first message is made from: the model waits for it.
MOST_FOLDER_FILES = 50_000

# Files and folders of a task: each trial's tree has them.
MOST_TASK_FILES = 5_000

# These files together.
MOST_TASK_BYTES = 50_000_000


# What a model is shown

# One result, document or listing: about 3,000 tokens.
SHOWN_RESULT_CHARS = 12_000

# A file that a model did not ask for in parts: a longer one is better searched than read.
SHOWN_READ_CHARS = 4_000

# One message: an exception's, a verdict's, or the question whether a call may be sent.
SHOWN_MESSAGE_CHARS = 4_000

# Why a call's arguments are refused, or its tool failed: the first lines say it.
SHOWN_FAULT_CHARS = 400

# Faults of one rule, each with its hint; the message counts the rest.
SHOWN_FAULTS = 8

# Faults of a script that the language policy refuses: those that are mended first.
SHOWN_REFUSALS = 50

# Calls of a traceback, the outermost and the innermost.
SHOWN_FRAMES = 12

# Exceptions that led to each other, the last ones.
SHOWN_CAUSES = 3

# Paths, tools and operations that one line lists.
SHOWN_NAMES = 40

# Names of tools of servers, in the system prompt, which every request carries.
SHOWN_NAMES_CHARS = 6_000

# Files of a folder that is to be listed in full: a longer list is better searched.
SHOWN_FOLDER_FILES = 60

# Files of a question, where a tree of them would be too long.
SHOWN_FILES = 100

# Passages that one search finds, the best ones.
SHOWN_PASSAGES = 40

# Each text that a second reader is shown, and all cited lines: its request stays small.
SHOWN_PART_CHARS = 6_000

# Steps of a failed trial that a proposer is shown, the first and the last.
SHOWN_STEPS = 8


# What a screen or a page shows

# Rows of a list, unless all are asked for; notes of one message.
SHOWN_ROWS = 20

# Rows of a page's table, the worst trials or the latest runs; a search finds the others.
SHOWN_PAGE_ROWS = 500

# Runs side by side on a page: more columns do not fit.
SHOWN_RUNS = 8

# The title of a group: more does not fit a line.
SHOWN_TITLE_CHARS = 160

# A value, a key, or what a trial does, in a line.
SHOWN_VALUE_CHARS = 60

# Of many alike: notices at a time, files left out, quotations, the families with the worst
# scores.
SHOWN_FEW = 3

# Lines of a titled part on a folded page: several parts fit a window.
SHOWN_FOLDED_LINES = 8

# Lines of a difference: to find it takes more than linear time.
SHOWN_DIFF_LINES = 10_000

# The end of what a program printed: its last lines say why it ended.
SHOWN_END_CHARS = 500


# Seconds waited

# A time that may be set, or that a server names: every system timer can count it in
# milliseconds.
LONGEST_S = 1_000_000

# A connection's opening: an address that answers does so sooner.
LONGEST_CONNECT_S = 10.0

# A connection that is kept for the next call: servers close theirs after five.
IDLE_CONNECTION_S = 4.0

# Beyond its deadline a reply is still read: threads may have been busy when it came.
REPLY_GRACE_S = 0.5

# Beyond its deadline a child may hand over output and scratchpad before it is killed.
SCRIPT_GRACE_S = 0.05

# A call of an MCP tool: a step's own time is as long.
TOOL_CALL_S = 60.0

# An MCP server's start: it may install itself first.
TOOL_SERVER_START_S = 30.0

# What a client began has for its end once the client has left.
CLOSE_S = 0.4

# Between two looks at what a client waits for: it does not notice them.
LOOK_S = 0.05

# A request's body of a client of the wire server: one that stalls costs only itself.
LONGEST_BODY_S = 60.0

# A program that proposes texts: it may ask models of its own.
LONGEST_PROGRAM_S = 3_600.0

# Without a call that reaches the benchmark; then the run pauses.
LONGEST_OUTAGE_S = 300.0

# Sending an answer or ending a trial, with its retries: else all its work is lost.
END_RETRY_S = 900.0

# Failures of a platform, before the user is told: short ones pass.
NOTICE_AFTER_S = 10.0

# Between two such notices, whichever calls they are about.
NOTICE_EVERY_S = 60.0

# Beside the time of a step: a trial whose time is over is then given up.
TRIAL_SILENCE_S = 60.0

# Without an answer a run counts as lost; without a worker it pauses.
WORKER_SILENCE_S = 120.0

# Between two looks at what a worker waits for: the scheduler is asked each time.
WORKER_LOOK_S = 1.0

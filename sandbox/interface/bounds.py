"""Bounds, each with its reason: of what comes in, of what is shown, and of waiting.

Names with `MOST_` and `LEAST_` bound what comes in from outside, names with `SHOWN_` what a model or
a screen is shown, and names that end with `_S` are seconds. Modules use `bounds.NAME`, so that a test
that replaces a bound replaces it everywhere. Settings have their defaults in
`controlplane.configuration`, the limits of scripts and workers in
`controlplane.sandbox.interface.host`, and parameters of an algorithm stand beside the algorithm.
"""


# What comes in from outside: of models and platforms

# Max bytes of a model's or a platform's reply, decompressed. As a journal line it grows by
# escapes.
MOST_REPLY_BYTES = 32 << 20

# Max characters of a model's reply that are searched for its action. A longer reply is a model's
# loop.
MOST_PARSED_CHARS = 400_000

# Max tokens or money that a model may report for one request. No request can use more.
MOST_USAGE = 10**9

# Max count, amount, or time in milliseconds. Floats represent such numbers exactly.
MOST_NUMBER = 10**15

# Max submissions of one trial that are judged. Then the trial ends by its fallback.
MOST_SUBMISSIONS = 12

# Max characters of the message with which an endpoint, a platform or a process of ours refuses a
# call.
MOST_REFUSAL_CHARS = 1_000

# Max characters of an error message from outside, which may quote a page or a whole reply.
MOST_FAULT_CHARS = 10_000


# Of scripts and their processes

# Max nesting of a result or a JSON schema, since they are walked by recursion.
MOST_LEVELS = 100

# Max lists and mappings of a message or a result. Each takes far more time and memory than its
# text.
MOST_PARTS = 10_000

# Max values of a message or a result, counted by the commas between them.
MOST_VALUES = 400_000

# Max bits of an integer argument. A longer one may have too many digits to be sent.
MOST_INT_BITS = 64

# Max bytes of the setting of a process, a fork server's message, or a script with its scratchpad.
MOST_REQUEST_BYTES = 1 << 24

# Max bytes of a message to a script's process, whose sender is trusted.
MOST_FROM_PARENT = 1 << 30

# Max calls of one function of a benchmark. A task that needs more is left to a script.
MOST_FUNCTION_CALLS = 300

# Max nesting of a scratchpad's values, since the child writes them by recursion.
MOST_SCRATCHPAD_LEVELS = 60

# Max lists and mappings of a scratchpad. Each costs the parent far more than its text.
MOST_SCRATCHPAD_PARTS = 5_000

# Max bits of an integer in a scratchpad. Python writes at most 4,300 decimal digits.
MOST_KEPT_BITS = 13_000


# Of files, trees and searches

# Max characters of a path, in the file tree and in evidence: four times the longest file name.
MOST_PATH_CHARS = 1_024

# Max folders within folders. Walks and paths grow with them.
MOST_FOLDER_LEVELS = 40

# Max bytes of all changes of a world. The parent keeps them and sends them to every new worker.
MOST_WRITTEN_BYTES = 2_000_000

# Max characters printed by a tool that joins files. It may be given one file many times.
MOST_OUTPUT_CHARS = 2_000_000

# Max characters of a regular expression. Its automaton takes many times its length in memory.
MOST_PATTERN_CHARS = 4_000

# Max characters of a glob. No file name is longer.
MOST_GLOB_CHARS = 255

# Max bytes of one line that are searched. The rest of the line is not matched.
MOST_SEARCHED_LINE_BYTES = 250_000

# Min characters of a reason that a script gives. A shorter one names nothing.
LEAST_REASON_CHARS = 8


# Of evidence and submissions

# Max bytes of the texts that a trial's evidence keeps. A word missing from a cut text proves
# nothing.
MOST_EVIDENCE_BYTES = 4_000_000

# Max characters of one text of the evidence, whose words and lines are indexed.
MOST_SEEN_CHARS = 1_000_000

# Max characters of a trial's function results, and of its last scripts with their output, for the
# gates.
MOST_KEPT_CHARS = 200_000

# Max characters searched for quotations in one trial, which may ask for one again and again.
MOST_QUOTED_CHARS = 50_000_000

# Max paths that calls of a trial make citable. What was read at each is kept.
MOST_CITABLE_PATHS = 3_000

# Max paths that calls named before any listing showed them.
MOST_UNSETTLED = 500

# Max characters of the paths that a trial learns from listings or makes citable.
MOST_PATHS_CHARS = 1_000_000

# Max paths that a trial learns from listings. Later ones count as not listed.
MOST_LISTED_PATHS = 20_000

# Max words of a script that are known as its own. Then every later text counts as its own.
MOST_OWN_WORDS = 50_000

# Max bytes in UTF-8 of the texts of a trial that are searched for the origin of a value. They are in
# memory, most of them twice. Then the origin of a value that is not in them counts as prose.
MOST_TRACED_BYTES = 16 << 20

# Max keys of the texts in which origins are looked up, each of which takes about 150 bytes. Then a
# value counts as prose.
MOST_TRACED_KEYS = 500_000

# Max items of one argument whose origin is looked up before a call is sent. An argument with more
# counts as prose.
MOST_TRACED_VALUES = 2_000

# Max characters of one text, or of one result's value, that is compared with others.
MOST_COMPARED_CHARS = 20_000

# Max characters of a quotation. A longer one is a page.
MOST_QUOTATION_CHARS = 1_000

# Max characters of an answer. An MCP client's message may have more.
MOST_ANSWER_CHARS = 1_000_000

# Max entries of a submission's `tokens`.
MOST_TOKENS = 100

# Max entries of a submission's `changes`. A step makes no more calls.
MOST_DECLARED = 1_000

# Max characters of a text that is parsed as a record or a table. Each value becomes an object.
MOST_RECORD_CHARS = 100_000

# Max rows of a text that is parsed as a table.
MOST_RECORD_ROWS = 2_000

# Max characters of an instruction, or of rules, that are searched.
MOST_REQUEST_CHARS = 50_000

# Max values of one text. The time to compare them grows with the square of their number.
MOST_READ_VALUES = 300

# Max dates and times of one text, of each form. Each is an object that is kept.
MOST_DATES = 5_000

# Max characters of a line whose words are compared with the words around a value.
MOST_LINE_CHARS = 2_000


# Of files that people write, and of journals

# Max bytes of a file with settings, servers, a task or a prompt. A larger file is a mistake.
MOST_TEXT_BYTES = 1_000_000

# Max characters of a prompt and its hints, which every first request carries.
MOST_PROMPT_CHARS = 32_000

# Max characters of the name of a run, a task or a benchmark. File names contain it.
MOST_NAME_CHARS = 200

# Max bytes of a journal's line, of a kept reply, and of a JSON document without another bound.
MOST_LINE_BYTES = 64 << 20

# Max bytes of a user's file that is changed. Both versions are in memory.
MOST_EDITED_BYTES = 16_000_000

# Max bytes of the list of changes for an undo: paths and hashes.
MOST_UNDO_BYTES = 1 << 28

# Max bytes of the texts in memory that are searched for the claims of an answer.
MOST_READ_BYTES = 100_000_000

# Max submitted runs of a benchmark that this process remembers.
MOST_CLOSED_RUNS = 200

# Max runs of a sweep, which play at the same time.
MOST_RUNS = 50


# Of MCP servers and clients, and of the wire server's

# Max bytes of one MCP message, or of all pages of a server's list of tools.
MOST_MESSAGE_BYTES = 4_000_000

# Max lists and objects of one MCP message. Each takes many times its bytes in memory.
MOST_OBJECTS = 60_000

# Max tools, or resources, of one MCP server. Each becomes an operation.
MOST_TOOLS = 1_000

# Max calls of MCP clients that run or wait. A further one is refused at once.
MOST_PENDING = 32

# Max open questions in one process. Each has processes of its own.
MOST_QUESTIONS = 8

# Max running trials of the wire server. A run may have more if its options select more.
MOST_RUNNING_TRIALS = 200

# Max request bytes of the writes and answers of all running trials of the wire server.
MOST_HELD_BYTES = 24_000_000

# Max processes of the wire server's trials that are kept between calls.
MOST_TRIAL_PROCESSES = 12


# Of files that a question is about, and of tasks in a folder

# Max files of a question, unless `most_files` says otherwise.
MOST_FILES = 20_000

# Max MB of all files of a question, unless `total_mb` says otherwise.
MOST_TOTAL_MB = 1_000.0

# Max MB of a file that is searched, unless `file_mb` says otherwise.
MOST_FILE_MB = 8.0

# Max MB of a text that can be read in part, and as a table. Above `file_mb` it is not searched.
MOST_LARGE_MB = 100.0

# Max bytes of the files that are compared passage by passage, or known by their content.
MOST_SEARCHED_BYTES = 20_000_000

# Max files among which the initial prompt looks for those that the question names.
MOST_NAMED_AMONG = 2_000

# Max characters of one read. With escapes it fits the message in which a script gets a result.
MOST_READ_CHARS = 600_000

# Max bytes of one result of reads as JSON, where characters take several bytes. With its frame it
# fits a message to a script's process.
MOST_RESULT_BYTES = 900_000

# Max passages that one search compares, for its time.
MOST_PASSAGES = 6_000

# Max words of one search for passages. Each is a term of its query.
MOST_WORDS = 200

# Max rows of one query's result. A script can continue with an offset.
MOST_TABLE_ROWS = 1_000

# Max columns of a table. A wider one is a matrix.
MOST_COLUMNS = 500

# Max files of a listing for the initial prompt, for which the model waits.
MOST_FOLDER_FILES = 50_000

# Max files and folders of a task. Each trial has them in its tree.
MOST_TASK_FILES = 5_000

# Max bytes of all files of a task.
MOST_TASK_BYTES = 50_000_000


# What a model is shown

# Characters of one result, document or listing: about 3,000 tokens.
SHOWN_RESULT_CHARS = 12_000

# Characters of a file that a model did not ask for in parts. A longer file is better searched.
SHOWN_READ_CHARS = 4_000

# Characters of the message of an exception or a verdict, or of the question whether a call may be
# sent.
SHOWN_MESSAGE_CHARS = 4_000

# Characters of why a call's arguments are refused, or why its tool failed. The first lines say
# it.
SHOWN_FAULT_CHARS = 400

# Faults of one rule, each with its hint. The message counts the rest.
SHOWN_FAULTS = 8

# Faults of a script that the language policy refuses. The first ones are mended first.
SHOWN_REFUSALS = 50

# Calls of a traceback, the outermost and the innermost.
SHOWN_FRAMES = 12

# Exceptions that led to each other, the last ones.
SHOWN_CAUSES = 3

# Paths, tools and operations that one line lists.
SHOWN_NAMES = 40

# Characters of the names of servers' tools in the system prompt, which every request carries.
SHOWN_NAMES_CHARS = 6_000

# Files of a folder that is listed in full. A longer list is better searched.
SHOWN_FOLDER_FILES = 60

# Files of a question, if a tree of them would be too long.
SHOWN_FILES = 100

# Passages that one search returns, the best ones.
SHOWN_PASSAGES = 40

# Characters of each text that a second reader gets, and of all cited lines. They keep its request
# small.
SHOWN_PART_CHARS = 6_000

# Steps of a failed trial that a proposer gets, the first and the last.
SHOWN_STEPS = 8


# What a screen or a page shows

# Rows of a list unless all are asked for, and notes of one message.
SHOWN_ROWS = 20

# Rows of a page's table: the worst trials or the latest runs. A search finds the others.
SHOWN_PAGE_ROWS = 500

# Runs side by side on a page. More columns do not fit.
SHOWN_RUNS = 8

# Characters of a group's title. More do not fit a line.
SHOWN_TITLE_CHARS = 160

# Characters of a value, a key, or a trial's activity within a line.
SHOWN_VALUE_CHARS = 60

# Examples of many: notices at a time, files left out, quotations, the families with the worst
# scores.
SHOWN_FEW = 3

# Lines of a titled part on a folded page. Several parts fit a window.
SHOWN_FOLDED_LINES = 8

# Lines of two texts that are compared. A comparison takes more than linear time.
SHOWN_DIFF_LINES = 10_000

# Characters of the end of a program's output. Its last lines say why it ended.
SHOWN_END_CHARS = 500


# Seconds waited

# Max seconds that a setting or a server may name. Every system timer counts them in milliseconds.
LONGEST_S = 1_000_000

# Max seconds until a connection is open. An address that answers does so sooner.
LONGEST_CONNECT_S = 10.0

# Seconds for which a connection is kept for the next call. Servers close theirs after five.
IDLE_CONNECTION_S = 4.0

# Seconds after its deadline during which a reply is still read. Threads may have been busy.
REPLY_GRACE_S = 0.5

# Seconds after its deadline in which a child may send output and scratchpad. Then it is killed.
SCRIPT_GRACE_S = 0.05

# Max seconds of a call of an MCP tool, as many as a step has.
TOOL_CALL_S = 60.0

# Max seconds of an MCP server's start. It may install itself first.
TOOL_SERVER_START_S = 30.0

# Seconds in which the calls of a client may end after the client has left.
CLOSE_S = 0.4

# Seconds between two looks at something for which a client waits. The client does not notice
# them.
LOOK_S = 0.05

# Max seconds for a request's body at the wire server. A client that stalls costs only itself.
LONGEST_BODY_S = 60.0

# Max seconds of a program that proposes texts. It may ask models of its own.
LONGEST_PROGRAM_S = 3_600.0

# Max seconds without a call that reaches the benchmark. Then the run pauses.
LONGEST_OUTAGE_S = 300.0

# Max seconds for sending an answer or ending a trial, retries included. Else all its work is
# lost.
END_RETRY_S = 900.0

# Seconds of a platform's failures before the user is told. Short ones pass.
NOTICE_AFTER_S = 10.0

# Seconds between two such notices, whichever calls they are about.
NOTICE_EVERY_S = 60.0

# Seconds, beside the time of a step, after which a trial whose time is over is given up.
TRIAL_SILENCE_S = 60.0

# Seconds without an answer after which a run counts as lost. Without a worker it pauses.
WORKER_SILENCE_S = 120.0

# Seconds between two looks at something for which a worker waits. The scheduler is asked each
# time.
WORKER_LOOK_S = 1.0

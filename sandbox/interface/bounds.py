"""Bounds, each with its reason, by kind: what comes in from outside, what is shown, how long something is waited for.

`MOST_` and `LEAST_` bound bytes, characters and counts that come in, `SHOWN_` what a model or a screen is shown, and
names that end in `_S` are seconds. Modules use `bounds.NAME`, so that a test that replaces a bound does so everywhere.
Settings have their defaults in `controlplane.configuration`, a script's and a worker's limits theirs in
`controlplane.sandbox.interface.host`; the parameters of an algorithm stand beside it.
"""

# What comes in from outside: of models and platforms
MOST_REPLY_BYTES = (
    32 << 20
)  # a model's or a platform's reply, decompressed: its line in a journal has escapes
MOST_PARSED_CHARS = (
    400_000  # a model's reply that is looked through for its action: more is a loop of the model's
)
MOST_USAGE = 10**9  # tokens or money that a model reports for one request: none can use more
MOST_NUMBER = 10**15  # a count, an amount, or a time in milliseconds: floats hold it exactly
MOST_SUBMISSIONS = (
    12  # submissions of one trial that are judged; then the trial ends by its fallback
)
MOST_REFUSAL_CHARS = (
    1_000  # why an endpoint, a platform or a process of ours refuses a call: more is a page
)
MOST_FAULT_CHARS = 10_000  # a message of others: a page, or a whole reply, may be in it

# Of scripts and their processes
MOST_LEVELS = 100  # nested lists and mappings of a result, or of a JSON schema: what walks through them calls itself
MOST_PARTS = 10_000  # lists and mappings of a message or a result: each takes far more time and memory than its text
MOST_VALUES = 400_000  # values of a message or a result that follow another value
MOST_INT_BITS = (
    64  # a whole number as an argument: a longer one may have too many digits to be sent
)
MOST_REQUEST_BYTES = (
    1 << 24
)  # a setting, a word of a fork server, or a script with its scratchpad, with room
MOST_FROM_PARENT = 1 << 30  # a message to a script's process, whose sender is trusted
MOST_FUNCTION_CALLS = (
    300  # calls of one function of a benchmark: what needs more is left to a script
)
MOST_SCRATCHPAD_LEVELS = (
    60  # nested values of a scratchpad: the child writes them by functions that call themselves
)
MOST_SCRATCHPAD_PARTS = (
    5_000  # lists and mappings of a scratchpad: each costs the parent far more than its text
)
MOST_KEPT_BITS = (
    13_000  # a whole number of a scratchpad: Python writes 4,300 decimal digits and no more
)

# Of files, trees and searches
MOST_PATH_CHARS = 1_024  # a path, in the file tree and in evidence: four times the longest name
MOST_FOLDER_LEVELS = 40  # folders within folders: walks and paths grow with them
MOST_WRITTEN_BYTES = (
    2_000_000  # all changes of a world: the parent keeps them and sends them to every new worker
)
MOST_OUTPUT_CHARS = (
    2_000_000  # what a tool that joins files prints: it may be given one file many times
)
MOST_PATTERN_CHARS = 4_000  # a regular expression: its automaton takes many times its length
MOST_GLOB_CHARS = 255  # a glob: no name is longer
MOST_SEARCHED_LINE_BYTES = (
    250_000  # one line that is searched: what stands behind them is not matched
)
LEAST_REASON_CHARS = 8  # a reason that a script gives: less names nothing

# Of evidence and submissions
MOST_EVIDENCE_BYTES = (
    4_000_000  # texts that a trial's evidence keeps; a word missing from a cut text proves nothing
)
MOST_SEEN_CHARS = 1_000_000  # one of these texts: its words and lines are indexed
MOST_KEPT_CHARS = 200_000  # function results of a trial, and its last scripts with what they printed, which gates read
MOST_QUOTED_CHARS = (
    50_000_000  # texts in which quotations are looked for: a trial may ask for one again and again
)
MOST_CITABLE_PATHS = (
    3_000  # paths that calls of a trial make citable: each keeps what was read there
)
MOST_UNSETTLED = 500  # paths that calls named before any listing showed them
MOST_PATHS_CHARS = (
    1_000_000  # paths that a trial learns from listings, and those that it makes citable
)
MOST_LISTED_PATHS = (
    20_000  # paths that a trial learns from listings; later ones count as not listed
)
MOST_OWN_WORDS = (
    50_000  # a script's own words that are kept; beyond them every later text counts as its own
)
MOST_TRACED_CHARS = (
    32 << 20
)  # texts in which the origin of a value is looked up; beyond them it counts as prose
MOST_TRACED_VALUES = 200  # values of one call whose origin is looked up, before the call is sent
MOST_COMPARED_CHARS = 20_000  # one text, or one result's value, that is compared with others
MOST_QUOTATION_CHARS = 1_000  # a quotation: a longer one is a page
MOST_ANSWER_CHARS = 1_000_000  # an answer: a message of an MCP client may hold more
MOST_TOKENS = 100  # entries of `tokens`: those that a reader must find
MOST_DECLARED = 1_000  # entries of `changes`: a step makes no more calls
MOST_RECORD_CHARS = (
    100_000  # a text that is read as a record or a table: each of its values becomes an object
)
MOST_RECORD_ROWS = 2_000  # rows of such a table, likewise
MOST_REQUEST_CHARS = 50_000  # an instruction, or rules, that are searched
MOST_READ_VALUES = (
    300  # values of one text: the time to compare them grows with the square of their number
)
MOST_DATES = 5_000  # dates and times of one text, of each form: each is an object that is kept
MOST_LINE_CHARS = 2_000  # one line whose words are compared with those around a value

# Of files that people write, and of journals
MOST_TEXT_BYTES = (
    1_000_000  # settings, servers, a task or a prompt under improvement: a larger file is a mistake
)
MOST_PROMPT_CHARS = 32_000  # a prompt, and hints: every first request carries them
MOST_NAME_CHARS = 200  # the name of a run, a task or a benchmark: lines and names of files hold it
MOST_LINE_BYTES = (
    64 << 20
)  # a line of a journal, a kept reply, any JSON document whose reader names no other bound
MOST_EDITED_BYTES = 16_000_000  # a user's file that is changed: it is held twice
MOST_UNDO_BYTES = 1 << 28  # the list of changes by which an undo goes: paths and hashes
MOST_READ_BYTES = 100_000_000  # texts in which the claims of an answer are looked for, in memory
MOST_CLOSED_RUNS = 200  # submitted runs of a benchmark in this process; older ones are forgotten
MOST_RUNS = 50  # runs of a sweep: all play at the same time

# Of MCP servers and clients, and of the wire server's
MOST_MESSAGE_BYTES = 4_000_000  # one MCP message, or all pages of a server's list of tools
MOST_OBJECTS = (
    60_000  # lists and objects of one MCP message: each takes many times its bytes in memory
)
MOST_TOOLS = 1_000  # tools, or resources, of one server: each becomes an operation
MOST_PENDING = 32  # calls of clients that run or wait; a further one is refused at once
MOST_QUESTIONS = 8  # questions that are open in one process: each has processes of its own
MOST_RUNNING_TRIALS = (
    200  # running trials of the wire server; one run may have more, if its options select as many
)
MOST_HELD_BYTES = 24_000_000  # request bytes of the writes and answers of all its running trials
MOST_TRIAL_PROCESSES = 12  # processes of its trials that are kept between calls

# Of files that a question is about, and of tasks in a folder
MOST_FILES = 20_000  # files of a question, unless `most_files` says otherwise
MOST_TOTAL_MB = 1_000.0  # all of them, unless `total_mb` says otherwise
MOST_FILE_MB = 8.0  # a file that is searched, unless `file_mb` says otherwise
MOST_LARGE_MB = (
    100.0  # a text that can be read in part, and as a table; above `file_mb` it is not searched
)
MOST_SEARCHED_BYTES = (
    20_000_000  # files that are compared passage by passage, or known by their content
)
MOST_NAMED_AMONG = (
    2_000  # files among which the initial prompt looks for those that the question names
)
MOST_READ_CHARS = (
    600_000  # one read: with its escapes it fits the frame in which a script gets a result
)
MOST_PASSAGES = 6_000  # passages that one search compares, for its time
MOST_WORDS = 200  # words of one search for passages: each is a term of its query
MOST_TABLE_ROWS = 1_000  # rows of one query's result: a script can go on with an offset
MOST_COLUMNS = 500  # columns of a table: more is a matrix
MOST_FOLDER_FILES = (
    50_000  # files of a listing that a first message is made from: the model waits for it
)
MOST_TASK_FILES = 5_000  # files and folders of a task: each trial's tree has them
MOST_TASK_BYTES = 50_000_000  # these files together

# What a model is shown
SHOWN_RESULT_CHARS = 12_000  # one result, document or listing: about 3,000 tokens
SHOWN_READ_CHARS = (
    4_000  # a file that a model did not ask for in parts: a longer one is better searched than read
)
SHOWN_MESSAGE_CHARS = (
    4_000  # one message: an exception's, a verdict's, or the question whether a call may be sent
)
SHOWN_FAULT_CHARS = (
    400  # why a call's arguments are refused, or its tool failed: the first lines say it
)
SHOWN_FAULTS = 8  # faults of one rule, each with its hint; the message counts the rest
SHOWN_REFUSALS = (
    50  # faults of a script that the language policy refuses: those that are mended first
)
SHOWN_FRAMES = 12  # calls of a traceback, the outermost and the innermost
SHOWN_CAUSES = 3  # exceptions that led to each other, the last ones
SHOWN_NAMES = 40  # paths, tools and operations that one line lists
SHOWN_NAMES_CHARS = (
    6_000  # names of tools of servers, in the system prompt, which every request carries
)
SHOWN_FOLDER_FILES = (
    60  # files of a folder that is to be listed in full: a longer list is better searched
)
SHOWN_FILES = 100  # files of a question, where a tree of them would be too long
SHOWN_PASSAGES = 40  # passages that one search finds, the best ones
SHOWN_PART_CHARS = (
    6_000  # each text that a second reader is shown, and all cited lines: its request stays small
)
SHOWN_STEPS = 8  # steps of a failed trial that a proposer is shown, the first and the last

# What a screen or a page shows
SHOWN_ROWS = 20  # rows of a list, unless all are asked for; notes of one message
SHOWN_PAGE_ROWS = (
    500  # rows of a page's table, the worst trials or the latest runs; a search finds the others
)
SHOWN_RUNS = 8  # runs side by side on a page: more columns do not fit
SHOWN_TITLE_CHARS = 160  # the title of a group: more does not fit a line
SHOWN_VALUE_CHARS = 60  # a value, a key, or what a trial does, in a line
SHOWN_FEW = 3  # of many alike: notices at a time, files left out, quotations, the families with the worst scores
SHOWN_FOLDED_LINES = 8  # lines of a titled part on a folded page: several parts fit a window
SHOWN_DIFF_LINES = 10_000  # lines of a difference: to find it takes more than linear time
SHOWN_END_CHARS = 500  # the end of what a program printed: its last lines say why it ended

# Seconds waited
LONGEST_S = 1_000_000  # a time that may be set, or that a server names: every system timer can count it in milliseconds
LONGEST_CONNECT_S = 10.0  # a connection's opening: an address that answers does so sooner
IDLE_CONNECTION_S = (
    4.0  # a connection that is kept for the next call: servers close theirs after five
)
REPLY_GRACE_S = (
    0.5  # beyond its deadline a reply is still read: threads may have been busy when it came
)
SCRIPT_GRACE_S = (
    0.05  # beyond its deadline a child may hand over output and scratchpad before it is killed
)
TOOL_CALL_S = 60.0  # a call of an MCP tool: a step's own time is as long
TOOL_SERVER_START_S = 30.0  # an MCP server's start: it may install itself first
CLOSE_S = 0.4  # what a client began has for its end once the client has left
LOOK_S = 0.05  # between two looks at what a client waits for: it does not notice them
LONGEST_BODY_S = (
    60.0  # a request's body of a client of the wire server: one that stalls costs only itself
)
LONGEST_PROGRAM_S = 3_600.0  # a program that proposes texts: it may ask models of its own
LONGEST_OUTAGE_S = 300.0  # without a call that reaches the benchmark; then the run pauses
END_RETRY_S = (
    900.0  # sending an answer or ending a trial, with its retries: else all its work is lost
)
NOTICE_AFTER_S = 10.0  # failures of a platform, before the user is told: short ones pass
NOTICE_EVERY_S = 60.0  # between two such notices, whichever calls they are about
TRIAL_SILENCE_S = 60.0  # beside the time of a step: a trial whose time is over is then given up
WORKER_SILENCE_S = 120.0  # without an answer a run counts as lost; without a worker it pauses
WORKER_LOOK_S = (
    1.0  # between two looks at what a worker waits for: the scheduler is asked each time
)

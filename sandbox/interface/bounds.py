"""Limits on untrusted input, on displayed text and on waiting, in one place.

Three kinds of names:

- `MOST_...` and `LEAST_...` limit what is accepted from models, servers, scripts and
  files, because an attacker or a bug could otherwise fill the memory or stall a run.
- `SHOWN_...` limit what a model, a screen
  or a page is shown. The rest is cut or counted.
- `..._S` are seconds.

Every limit has a comment: what it limits, and why, or what happens beyond it.
Code refers to a limit as `bounds.NAME`, so that a test that replaces a limit
replaces it everywhere.

Words of the comments: a *trial* is one attempt of a model at one task. It ends with a
*submission*, the answer. A *gate* is a check that an answer has to pass. If no answer
passes, the trial sends its *fallback answer*, which says that it found none. A
*benchmark* has many tasks, and a *platform* is the server of a benchmark. A *journal*
is the file that records a run.

Elsewhere: users' settings and their defaults (`controlplane.configuration`), the limits
of scripts and workers (`controlplane.sandbox.interface.limits`), and numbers that belong
to one algorithm.
"""


# Replies of models and of benchmark platforms

# Bytes of one HTTP reply after decompression. A longer reply fails the request.
MOST_REPLY_BYTES = 32 << 20  # 32 MiB

# Characters of a model's reply that are searched for an action. A model that writes
# more repeats itself without end.
MOST_PARSED_CHARS = 400_000

# Tokens, or money, that a reply may report for one request. Real requests stay far
# below, so a larger number is ignored.
MOST_USAGE = 10**9

# Any other count, amount or number of milliseconds. A float represents all integers up
# to here exactly.
MOST_NUMBER = 10**15

# Submissions of one trial that the gates judge. After that the trial ends with its fallback answer.
MOST_SUBMISSIONS = 12

# Characters kept of the message with which an endpoint, a platform or a worker refuses a call.
MOST_REFUSAL_CHARS = 1_000

# Characters kept of an error message from outside, which may quote a whole page.
MOST_FAULT_CHARS = 10_000


# Messages between a script's process and its parent
#
# A "part" is a list or a mapping of a JSON document. Each takes many times the memory
# of its text.

# Levels of lists within lists in a result or a JSON schema. Code that walks them is recursive.
MOST_LEVELS = 100

# Parts of one message or result.
MOST_PARTS = 10_000

# Values of one message or result, counted by the commas in it.
MOST_VALUES = 400_000

# Bits of an integer that is passed as an argument. A longer one may have more digits
# than Python writes.
MOST_INT_BITS = 64

# Bytes of a message to a process other than the result of a call: its setting, a script
# with its scratchpad, a fork server's report.
MOST_REQUEST_BYTES = 1 << 24  # 16 MiB

# Bytes of any message to a script's process. Its sender, the parent, is trusted, so
# this only keeps a bug from filling the memory.
MOST_FROM_PARENT = 1 << 30  # 1 GiB

# Calls of one function of a benchmark. A task that needs more calls is left to a
# script, which the model can change.
MOST_FUNCTION_CALLS = 300

# Levels of lists within lists in a scratchpad. The child writes it by a recursive function.
MOST_SCRATCHPAD_LEVELS = 60

# Parts of a scratchpad. The parent keeps it, and sends it to the next script.
MOST_SCRATCHPAD_PARTS = 5_000

# Bits of an integer in a scratchpad. Python refuses to write integers of more than
# 4,300 digits, and 13,000 bits are 3,914 digits.
MOST_KEPT_BITS = 13_000


# Files, folders and searches in them

# Characters of a path: four times the longest name that Linux allows for one file.
MOST_PATH_CHARS = 1_024

# Folders within folders. The time to walk a tree and the length of paths grow with it.
MOST_FOLDER_LEVELS = 40

# Bytes of all changes that one trial makes to an in-memory file tree. The parent keeps
# them, and sends them to every new worker.
MOST_WRITTEN_BYTES = 2_000_000

# Characters printed by a tool that joins files. A call may name the same file many times.
MOST_OUTPUT_CHARS = 2_000_000

# Characters of a regular expression. Compiled, it takes many times its length in memory.
MOST_PATTERN_CHARS = 4_000

# Characters of a glob such as `*.md`. No file name is longer.
MOST_GLOB_CHARS = 255

# Bytes of one line that are searched at once. Longer lines are searched in overlapping pieces.
MOST_SEARCHED_LINE_BYTES = 250_000

# A citation needs a reason of at least this many characters. A shorter text says too little.
LEAST_REASON_CHARS = 8

# One Chinese, Japanese or Korean sign of a reason says as much as a short word of this length.
_REASON_CHARS_OF_A_CJK_SIGN = 3


def is_full_reason(reason: str) -> bool:
    """Return True if a reason is long enough: "rule 21", which has 7 characters, is not.

    `食品は8%` has the length 11, because each of its three signs counts as a word.
    """
    length = 0
    for character in reason.strip():
        is_cjk_sign = character > "\u2e7f" and character.isalpha()
        length += _REASON_CHARS_OF_A_CJK_SIGN if is_cjk_sign else 1
    return length >= LEAST_REASON_CHARS


# Evidence: what is kept of a trial's calls
#
# A trial is one attempt of a model at one task. Its scripts read texts by calls. These texts
# are kept, because the gates, which check the answer, look for its values in them.

# Bytes of all texts that a trial read. Later texts are not kept. An answer
# may then rest on one of those, so the gates accept it even if its words are
# in none of the kept texts.
MOST_EVIDENCE_BYTES = 4_000_000

# Characters of one text that a trial read. The rest of the text is not searched.
MOST_SEEN_CHARS = 1_000_000

# Characters of all results of a benchmark's functions, and of the last scripts with their output.
MOST_KEPT_CHARS = 200_000

# Characters that are searched for all quotations of a trial, because a script can cite
# the same long text again and again.
MOST_QUOTED_CHARS = 50_000_000

# Paths that a trial may cite because a call read or changed them. Later paths cannot be cited.
MOST_CITABLE_PATHS = 3_000

# Paths that were read before any listing showed them. Until one does, it is not known if
# such a path is spelled as the file's own, for example in upper and lower case.
MOST_UNLISTED_PATHS = 500

# Characters of all paths that a trial listed, and of all paths that it may cite.
MOST_PATHS_CHARS = 1_000_000

# Paths that are remembered from listings. Later ones count as not listed.
MOST_LISTED_PATHS = 20_000

# Different words that are in a trial's scripts. If a script passes such a word to a
# tool, and the tool prints it again, that does not support an answer. Beyond the limit,
# every word of a later result counts as a script's own.
MOST_OWN_WORDS = 50_000


# Sources of the arguments of a call that changes something
#
# Before such a call is sent, its arguments are looked up in the texts that the trial
# has read. Beyond a limit, a value counts as found in a text by an unknown author. This
# is the safe assumption: the user is asked, or the call is stopped.

# Bytes of all texts in which arguments are looked up. Most of them are in memory twice.
MOST_TRACED_BYTES = 16 << 20  # 16 MiB

# Values in the index of the texts in which arguments are looked up. Each takes about 150 bytes.
MOST_TRACED_KEYS = 500_000

# Texts and numbers inside one argument, such as the items of a list, that are looked up
# in the index.
MOST_TRACED_VALUES = 2_000

# Values in all arguments of one call that are looked up, with the parts of texts, such as the
# numbers in a written file. To make a value of a word takes 50 microseconds.
MOST_TRACED_PARTS = 20_000


# Submissions: the answer of a trial, and the texts with which it is compared
#
# A trial is one attempt of a model at one task. Gates are checks that its answer has to pass.

# Characters of one text, or of one result's value, that is compared with other texts.
MOST_COMPARED_CHARS = 20_000

# Characters of one quotation. A longer one is a copied page, not a quotation.
MOST_QUOTATION_CHARS = 1_000

# Characters of an answer from a script. Answers of MCP clients have no limit of their own.
MOST_ANSWER_CHARS = 1_000_000

# Entries of a submission's `tokens`: texts that the answer must contain.
MOST_TOKENS = 100

# Entries of a submission's `changes`. A step can make no more calls than that.
MOST_DECLARED = 1_000

# Characters of a text that is parsed as a record or a table. Every value in it becomes an object.
MOST_RECORD_CHARS = 100_000

# Rows of a text that is parsed as a table.
MOST_RECORD_ROWS = 2_000

# Characters of an instruction, or of a workspace's rules, that are searched.
MOST_REQUEST_CHARS = 50_000

# Numbers, ids and dates that are found in one text, to be compared with those of an
# answer. The time for that grows with the square of their number.
MOST_READ_VALUES = 300

# Characters of one line of a text that are searched for the values of an answer.
# (`MOST_LINE_BYTES` is the limit of a line in a journal.)
MOST_LINE_CHARS = 2_000


# Files written by hand, and journals

# Bytes of a file with settings, servers, a task or a prompt. A larger one was named by mistake.
MOST_TEXT_BYTES = 1_000_000

# Characters of a prompt with its hints. The first request of every trial contains it.
MOST_PROMPT_CHARS = 32_000

# Characters of the name of a run, a task or a benchmark. Such names become parts of file names.
MOST_NAME_CHARS = 200

# Bytes of one line of a journal, of a stored reply, and of any JSON document without another limit.
MOST_LINE_BYTES = 64 << 20  # 64 MiB

# Bytes of a user's file that is changed. The old and the new content are in memory together.
MOST_EDITED_BYTES = 16_000_000

# Bytes of the list by which changes can be undone. It has a path and a hash for each file.
MOST_UNDO_BYTES = 1 << 28  # 256 MiB

# Bytes of the texts that are searched for the values of an answer when a user views a finished run.
MOST_READ_BYTES = 100_000_000

# Submitted runs of a benchmark that a process remembers.
MOST_CLOSED_RUNS = 200

# Runs of one sweep. All of them run at the same time.
MOST_SWEEP_RUNS = 50


# MCP servers and clients, and the wire server
#
# An MCP server has tools, which become calls of scripts. An MCP client is a program that asks
# this one questions. The wire server offers a benchmark to other agents.

# Bytes of one MCP message. A server's list of tools may come in several messages, but has
# this limit as a whole.
MOST_MCP_MESSAGE_BYTES = 4_000_000

# Lists and objects of one MCP message. Each takes many times its bytes in memory.
MOST_MCP_OBJECTS = 60_000

# Tools of one MCP server that scripts can call. Each becomes an operation of every trial.
MOST_MCP_TOOLS = 1_000

# Calls of MCP clients that run or wait. A further one is refused at once.
MOST_PENDING_MCP_CALLS = 32

# Questions that one process works on at the same time. Each needs several further processes.
MOST_OPEN_QUESTIONS = 8

# Trials that the wire server runs at the same time. A run may have more if its options select more.
MOST_RUNNING_TRIALS = 200

# Bytes that the wire server keeps in memory for all running trials: what they wrote and answered.
MOST_WIRE_SERVER_BYTES = 24_000_000

# Processes that the wire server keeps for the next call of their trial. Each takes memory.
MOST_TRIAL_PROCESSES = 12


# Files about which a user asks a question, and tasks in a folder
#
# `most_files`, `total_mb` and `file_mb` are settings of the user.

# Files of one question, unless `most_files` says otherwise.
MOST_QUESTION_FILES = 20_000

# Megabytes of all files of one question, unless `total_mb` says otherwise.
MOST_TOTAL_MB = 1_000.0

# Megabytes of one file that is searched, unless `file_mb` says otherwise.
MOST_FILE_MB = 8.0

# Megabytes of a text file that can still be read in parts, or queried as a table,
# although it is too large to be searched (`MOST_FILE_MB`).
MOST_LARGE_MB = 100.0

# Bytes of files that one search compares passage by passage. Files beyond it are left out
# of the search. Up to this size, the hash by which a run sees that its files have changed is
# of their content; beyond it, of their sizes and times.
MOST_SEARCHED_BYTES = 20_000_000

# Files whose names are looked up in the question. With more, none is shown for its name.
MOST_FILES_LOOKED_UP = 2_000

# Characters of a file that one read returns. Escaped, they still fit a message to a script
# (`Limits.call_bytes`).
MOST_READ_CHARS = 600_000

# Bytes of a result that contains several reads, for the same reason. A character may take
# several bytes.
MOST_RESULT_BYTES = 900_000

# Passages that one search compares with its query. Comparing more would take too long.
MOST_COMPARED_PASSAGES = 6_000

# Words of one search for passages. Each is a term of its query.
MOST_QUERY_WORDS = 200

# Rows of one query's result. A script can ask for the next rows.
MOST_TABLE_ROWS = 1_000

# Columns of a table. A table with more is a matrix of numbers, not records.
MOST_COLUMNS = 500

# Files of a listing for the first message. The model's first step waits for it.
MOST_FOLDER_FILES = 50_000

# Files and folders of one task. Every trial has them in its file tree.
MOST_TASK_FILES = 5_000

# Bytes of all files of one task.
MOST_TASK_BYTES = 50_000_000

# Files and folders below the folder of a task in a container, with what its image is built from.
MOST_BUILD_FILES = 100_000

# Bytes of all these files. They are read in pieces, and copied when the image is built.
MOST_BUILD_BYTES = 1_000_000_000


# What a model is shown
#
# A longer text is cut. A model has limited room for all texts, and overlooks things in long ones.

# Characters of one result, document or listing: about 3,000 tokens.
SHOWN_RESULT_CHARS = 12_000

# Characters of a whole file that the model did not ask
# for in parts. A longer file is better searched.
SHOWN_READ_CHARS = 4_000

# Characters of one message: an exception, why a gate rejects an answer, or the question to
# the user whether a call may be sent.
SHOWN_MESSAGE_CHARS = 4_000

# Characters of one fault: the reason why arguments are refused or a tool failed. Its
# first lines matter most.
SHOWN_FAULT_CHARS = 400

# The number of faults that one message lists, each with its hint. The others are counted.
SHOWN_FAULTS = 8

# Places in a script at which it breaks the rules for its language.
SHOWN_REFUSALS = 50

# Calls of one traceback: the outermost and the innermost. Those between them are left out.
SHOWN_FRAMES = 12

# Exceptions of one message, if one led to the next: the last ones.
SHOWN_CAUSES = 3

# Paths, tools or operations that one line lists.
SHOWN_NAMES = 40

# Characters of the names of MCP tools in the system prompt, which is part of every request.
SHOWN_NAMES_CHARS = 6_000

# A folder with at most this many files is listed in full. A larger folder is better searched.
SHOWN_FOLDER_FILES = 60

# Files that the first message lists if a tree of all files would be too long.
SHOWN_FILES = 100

# Passages that one search returns: the best ones.
SHOWN_PASSAGES = 40

# Characters of each text for the second reader, a model that checks an answer, and of
# all cited lines together.
SHOWN_PART_CHARS = 6_000

# Steps of a failed trial that are shown to a proposer, a model or program that writes a
# better prompt: the first and the last.
SHOWN_STEPS = 8


# What a terminal or a page shows

# Rows of a list unless the user asks for all, and notes of one message.
SHOWN_ROWS = 20

# Rows of a page's table: the worst trials or the latest runs. The page's search finds the others.
SHOWN_PAGE_ROWS = 500

# Runs side by side on a page. More columns do not fit.
SHOWN_RUNS = 8

# Characters of the title of a group of failures. More do not fit one line.
SHOWN_TITLE_CHARS = 160

# Characters of a value, a key, or a trial's activity within a line.
SHOWN_VALUE_CHARS = 60

# Examples of many: notices, files left out, quotations, the families of tasks with the worst scores.
SHOWN_EXAMPLES = 3

# Lines of a section on a page that shows every section folded. Several sections fit a window.
SHOWN_FOLDED_LINES = 8

# Lines of two texts whose differences are shown. Comparing takes more than linear time.
SHOWN_DIFF_LINES = 10_000

# Characters of the end of a failed program's output. Its last lines say why it failed.
SHOWN_END_CHARS = 500


# Seconds
#
# A trial is one attempt of a model at one task. A step of it runs one script, in a process of
# its own (the child). A run plays many trials.

# Most seconds that a setting may name. The system's timers count them in milliseconds.
LONGEST_S = 1_000_000

# Seconds until a connection is open. An address that answers at all does so sooner.
LONGEST_CONNECT_S = 10.0

# Seconds for which an idle connection is kept for the next call. Servers close theirs
# after five seconds.
IDLE_CONNECTION_S = 4.0

# Seconds after its deadline in which the reply of a model is still read. It may have
# come in time, and the thread that reads it may have had to wait for other threads.
REPLY_GRACE_S = 0.5

# Seconds after the deadline of a step in which its child may still send output and
# scratchpad. Then the child is killed.
SCRIPT_GRACE_S = 0.05

# Seconds of one call of an MCP tool: as many as a step of a trial may take.
TOOL_CALL_S = 60.0

# Seconds in which the documents of one question, such as PDFs, are converted to texts. Those that
# are left are told by name; the next question converts them, since the others are kept.
DOCUMENTS_S = 60.0

# Seconds until an MCP server has started. It may have to install itself first.
TOOL_SERVER_START_S = 30.0

# Seconds in which calls of an MCP client may still end after the client has left.
MCP_CLOSE_S = 0.4

# Seconds between two checks whether something has happened for which an MCP client
# waits. The client does not notice the delay.
MCP_POLL_S = 0.05

# Seconds until the wire server has received the body of a request. Otherwise a client
# that stalls would keep its connection for ever.
LONGEST_BODY_S = 60.0

# Seconds of a user's program that proposes prompts. It may ask models of its own.
LONGEST_PROGRAM_S = 3_600.0

# Seconds without a call that reaches the benchmark's platform. Then the run pauses.
LONGEST_OUTAGE_S = 300.0

# Seconds for sending an answer or ending a trial, retries included. It is long, because
# all work of the trial is lost if neither succeeds.
END_RETRY_S = 900.0

# Seconds of a platform's failures before the user is told. Most pass sooner.
NOTICE_AFTER_S = 10.0

# Seconds between two such notices.
NOTICE_EVERY_S = 60.0

# Seconds that a trial has after the end of its time to say how it ended, in addition to the
# time of one step. Then the run gives the trial up.
TRIAL_SILENCE_S = 60.0

# Seconds without an answer of a cluster (the machines on which a run's trials are
# distributed), or without any worker in it. Then the run pauses.
WORKER_SILENCE_S = 120.0

# Seconds between two checks of something for which a worker
# waits. Each check asks the cluster's scheduler.
WORKER_POLL_S = 1.0

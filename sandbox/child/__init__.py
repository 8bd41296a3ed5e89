"""The side of the untrusted script: the fork server and the processes that it forks.

`fork_server_process` forks children of two kinds: `script_process` runs the scripts of
a trial, and `worker_process` runs functions of ours on untrusted data. `language` is
what a script may write, import and use; `walls` is what a process may ask of the
machine; `step` is one step of a script.
"""

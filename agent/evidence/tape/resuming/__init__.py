"""How a new process goes on with a trial: from which steps, and in which environment.

A process was killed in a trial. `attempt` decides from where the next one goes on, `start_failure`
what follows if the benchmark does not start the trial again, and `repeated_changes` brings a new
environment to the state of the old one.
"""

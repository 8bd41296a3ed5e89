"""Knowledge of shops: the rule set, the functions that scripts call, the stages of solvers.

Journals name these functions by their modules (`stock_functions:stock_at`), so those
modules are here and not in a subfolder.
"""

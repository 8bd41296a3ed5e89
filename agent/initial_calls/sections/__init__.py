"""The sections of the first message: the results of initial calls, cut to what there is room for."""

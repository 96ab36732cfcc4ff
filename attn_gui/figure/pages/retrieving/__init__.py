"""Pages of attention as retrieval: one query's keys and values, and outputs as a regression curve."""

"""The problem that is computed from: its fields, masks, checks and refusals. Imports `engine.arrays`."""

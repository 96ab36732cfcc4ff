"""Explanation, gradients, targets and fits of an evaluation. Imports all of the engine."""

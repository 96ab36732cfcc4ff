"""Kernels that compute rows of weights from nothing: one for dot products, one for every score."""

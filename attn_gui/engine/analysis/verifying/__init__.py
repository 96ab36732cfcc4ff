"""Verification by an independent reference and by invariants. The reference imports the problem only."""

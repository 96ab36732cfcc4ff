"""The formula as a row of live maps with their operators between them. Imports engine, figure, document, views.

`spine` the row · `spine_items` its items, the small maps that are buttons among them · `operators` what stands between
two maps · `spine_controls` the control of each step.
"""

"""The formula as a row of live maps with their operators between them. Imports engine, figure, document, views.

`spine` the row · `spine_items` its items, in order · `stage_node` a small map that is a button · `operators` the boxes
between two maps, each the control of its own step.
"""

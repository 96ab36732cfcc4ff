"""The formula as a row of live maps with their operators between them. Imports engine, figure, views, document.

`spine` the row · `catalog` what stands in it, in order · `node` a small map that is a button · `operators` the boxes
between two maps, each the control of its own step · `marks` which rows and columns the small maps mark.
"""

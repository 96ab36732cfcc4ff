"""Maps of matrices: one map class for every picture of the window. Imports engine to figure, and views.

`heatmap` a large map · `thumbnail` a small one · `map_drawing` what both show · `cells_picture` its pixels · `marks`
what lies on them · `map_view` the view of pyqtgraph · `gestures` mouse and keys · `minimap` the overview of a zoomed
map · `color_scales` its range of colors · `colorbar` the range on screen · `levels_popup` the choice behind it,
loaded late.
"""

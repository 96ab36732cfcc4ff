"""Pages of the catalog in the window. Imports figure and views.

`pages_panel` the panel that holds them · `page_widget` one with its options · `page_canvas` what it paints ·
`live_plot` a plot of it in pyqtgraph, loaded when one is zoomed.
"""

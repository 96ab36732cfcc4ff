"""Tables of numbers, one panel a matrix. Imports document.matrix_model, figure, views.theme; never the document."""

from attn_gui.views.tables.matrix_panel import MatrixPanel as MatrixPanel

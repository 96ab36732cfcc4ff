"""Tables of numbers, one panel a matrix. Imports document.matrix_model, figure, views; never the document."""

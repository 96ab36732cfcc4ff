"""The steps so far: their model, their list and the view that folds them away. Imports the document's copying."""

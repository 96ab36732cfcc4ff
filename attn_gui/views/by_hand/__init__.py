"""The list of what is changed by hand. Imports figure, document and the other views."""

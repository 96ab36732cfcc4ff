"""Numbers changed by hand: the list of them, blocks of a map. Imports the document, views and the rest of the app."""

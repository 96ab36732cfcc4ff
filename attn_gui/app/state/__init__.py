"""State beside the document: the computation, the view, the state compared with, work in the background, settings."""

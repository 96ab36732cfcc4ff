"""State beside the document: the computation, the view, the state compared with, background tasks, settings, looks."""

"""State beside the document: the computation, work in the background, what is looked at, settings, language."""

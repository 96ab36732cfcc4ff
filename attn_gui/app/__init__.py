"""Controllers, actions and start-up. Imports every other package.

`start` shows the window (`shell`) before anything heavy is imported; `program` builds the controllers that the first
picture needs, `late_controllers` all others once that is painted; `explore` is the window from Python.
"""

"""Controllers, actions and start-up. Imports every other package.

`start` shows the window (`shell`) before anything heavy is imported. Then `program` makes what controllers share
(`app_context`) and the controllers that the first picture needs, and once that is painted the `late_controllers`, all
others. `explore` is the window from Python.
"""

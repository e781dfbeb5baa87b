"""The alarms of the monitor, one file each: the name of the file is the slug, its docstring the page that ``whygrad explain``
shows where no rule of the same slug has one. ``Check`` is a ``whygrad.monitor.history.Check``."""

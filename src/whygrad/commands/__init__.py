"""The commands: a module here is a command of the same name, its click command is called ``command``.

It returns its exit status, or a function that does the work and returns it."""

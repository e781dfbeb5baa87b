"""Where the monitor's numbers go beside its own record, one file a library: ``whygrad.watch(model, sinks=[...])``.

A sink is made in the training's thread, which is where its library is imported; all else happens in the monitor's.
"""

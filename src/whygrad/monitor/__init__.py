"""The cheap observer for long runs: what it measures, where it keeps it, and when it raises an alarm.

Modules that read what was kept (``store``, ``rows``, ``stored_report``, ``following``, ``alarms``) work without torch.
"""

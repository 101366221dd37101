"""What every process shares: its command, its reloadable configuration, its clock and its shutdown.

``command.ProcessCommand`` runs a process from the command line to the exit code: it parses the options, reads the
configuration, configures the log and runs the process. ``exits`` has the exit codes and their errors.

A process says in its own ``config`` what it reads. ``configuration.ConfigurationFiles.read`` reads the settings, then
the files that they name. ``reloading.Reloading`` looks whether any of them has changed, by its content: a change
counts once two looks in a row have found the same content, so that a half-written file is not taken. Files that cannot
be used are reported once, and the last good configuration stays in effect. ``reloader.Reloader`` looks again and again,
on an event loop or on a thread, passes a valid new configuration to the process, and updates log and metrics; the
fields of the settings say which take effect at once and which need a restart (``agent.settings.effect``).

``log`` sends the log to standard error, in the colours of the rest of the output.

``stopping`` turns SIGTERM and SIGINT into an event for asyncio (``stop_requested``, the agent in a cluster), a flag for
threads (``watch_for_stop``, the scheduler) or an exception (``stop_raised``, the demo).

``server_clock.ServerClock`` is the clock of the agent in a cluster, for waits, deadlines and times that are sent: the
API server's time, which ``server_time`` estimates from the server's answers. It never jumps (``clock.SteadyClock``),
and says when it may be wrong.

Start with ``command``; a new process gives a ``ProcessCommand`` and a ``Reloadable``.
"""

"""The demo: simulated clusters, agents and a scheduler on one machine, each a process of its own.

``failure-agent demo`` starts two simulators, an agent for each, and a scheduler, over the code that runs in production:
only the settings differ (shorter deadlines, an event log file for the broker, SQLite for the store). Wiring only.

``main`` reads the options; ``layout`` makes the folder with everybody's settings, rules and data; ``course`` starts the
processes and watches until every failure is decided; ``parts`` restarts a process that dies; ``readings`` reads the
simulators' records and the store, and ``tally`` compares the two. ``lines`` fits a decision into a line, ``view`` shows
the lines as they come, and ``closing`` has what is printed at the end.

Any process may be killed at any time: it is restarted, and the tally must still come out with nothing lost and nothing
decided twice, which is the exit code. The processes end with the demo, however it ends. Begin with ``course.run_demo``.
"""

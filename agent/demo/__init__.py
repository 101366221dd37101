"""The demo: simulated clusters, agents and a scheduler on one machine, each a process of its own.

``failure-agent demo`` starts two simulators, an agent for each, a scheduler and a Lookout, over the code that runs in
production: only the settings differ (shorter deadlines, an event log file for the broker, SQLite for the stores). It
submits jobs to the scheduler as a person does. Wiring only.

``main`` reads the options; ``layout`` makes the folder with everybody's settings, rules and data; ``jobs`` plans which
jobs come when and what their runs do (pure), and ``submitting`` submits them. ``course`` starts the processes and
watches until every job has ended; ``parts`` restarts a process that dies. ``progress`` keeps what was read so far:
``readings`` of the simulators' records and the verdicts, ``standings`` of the submitted jobs. ``tally`` compares
failures with verdicts, and ``outcome`` counts what came of the jobs (both pure). ``accounts`` reads what the scheduler
decided and what Lookout stored, and ``agreement`` compares the two, run by run (pure). ``opening`` says what there is
to see and where, ``lines`` fits a decision into a line, ``view`` shows the lines as they come, and ``closing`` has what
is printed at the end. ``staying`` keeps everything running as long as somebody looks at it.

Any process may be killed at any time: it is restarted, and every job must still end, with nothing lost, nothing decided
twice, no job in two pods at the same time, and all of it in Lookout, which is the exit code. The processes end with the
demo, however it ends. Begin with ``course.run_demo``.
"""

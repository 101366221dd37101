"""What the scheduler decides by: settings and policies of files, and resources of the store.

``files.configuration_files`` says which files; reading them gives a ``Configuration``: settings, the compiled policies
(``policies``) and a revision, a hash of all that decisions take from files. ``files.reloader`` looks at them from
time to time, using ``agent.process``. Some settings need a restart: the fields of ``SchedulerSettings`` say which.

``stored.ResourceCache`` loads policies and queues from the store, again after every change; a load that fails leaves
the last good one in force, and so does a document that no longer compiles. ``compiled`` compiles each text once, also
for the API, which checks a change together with what is stored. ``in_force.InForce`` puts both together, the files
first, and passes the result to the consumer, whichever of the two has changed.
"""

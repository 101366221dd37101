"""Resources: what operators keep in the store and change while everything runs.

There are three kinds: retry policies, queues and error rules. ``kind`` has the table of all that differs between them;
to add one, begin there. ``read.read_resources`` takes a text with any number of documents of these kinds, checks each,
and gives its name, its value and its own text, which is kept as it was written. It also takes the list that ``get``
prints for one dialect, and an error table, whose rows are a rule each.

``relations`` finds what is wrong only together with others: a queue that names a policy that does not exist, or
policies that count retries differently. ``write`` makes lists, and takes a policy out of a queue's text without
touching the rest of it, comments included.
"""

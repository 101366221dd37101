"""Lookout's API: JSON over HTTP, for people, pages and ``failctl``.

``application.create`` makes the ASGI application from a ``backend.Backend``; ``routes.ROUTERS`` lists what it serves,
each router in a module of its own. ``server.ApiServer`` runs it with uvicorn in a thread. Endpoints are functions that
may block: they run in a bounded number of threads, so that none waits for a connection to the database. What asks the
database is in ``agent.lookout.query``, which knows no HTTP.

``head`` makes a GET of each HEAD. ``guard`` sees each request next, and refuses those of foreign web pages. Every
error is a ``problems.Problem`` (RFC 9457): those of endpoints, of the framework and unforeseen ones. ``timing`` says
how long a request took, and how much of it in the database.

``changes`` is a stream of versions (``live``), by which clients learn that something changed; they ask again then, all
at once, and ``shared`` computes one answer for all of them.

Start with ``application.create``.
"""

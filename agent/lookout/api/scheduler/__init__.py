"""What the scheduler serves over gRPC, offered as JSON.

``methods`` is the table: which request leads to which call. ``transcoding`` makes the message of a request, and JSON of
the message that answers it, both by protobuf's JSON mapping. ``calling`` makes the call, with what the caller's request
says of the caller: the scheduler decides who may do what. ``routes`` joins them, and describes them as the messages are
described; no method has code of its own.
"""

"""What the scheduler serves over gRPC, offered as JSON.

``methods`` is the table: which request leads to which call. ``schema`` describes the messages of a call as the OpenAPI
document does, and ``transcoding`` makes the message of a request, and JSON of the message that answers it, both by
protobuf's JSON mapping. ``calling`` makes the call, with what the caller's request says of the caller: the scheduler
decides who may do what. ``routes`` joins them; no method has code of its own.
"""

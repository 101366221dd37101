import os
import socket

from tests.servers.sockets import listening


def test_an_address_is_listed_while_it_is_listened_on() -> None:
    before = listening([os.getpid()])
    with socket.socket() as four, socket.socket(socket.AF_INET6) as six:
        four.bind(("127.0.0.2", 0))
        assert listening([os.getpid()]) == before
        four.listen()
        six.bind(("::1", 0))
        six.listen()
        assert listening([os.getpid()]) == before | {"127.0.0.2", "::1"}
    assert listening([os.getpid()]) == before

"""Has a loaded program carry out a call with this process's streams and limits; ends like it.

Arguments: the descriptor of the socket on which the program waits (see `warm.py`), then its own.
"""

import json
import os
import resource
import signal
import socket
import sys

_PACKET = 1 << 18
_LIMITS = [name for name in dir(resource) if name.startswith("RLIMIT_")]


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _main() -> None:
    given = list(filter(_is_open, range(3)))
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        request = {
            "arguments": sys.argv[2:],
            "cwd": os.getcwd(),  # noqa: PTH109 - a word, not a path
            "env": dict(os.environ),
            "given": given,
            "closed": [number for number in range(3) if number not in given],
            "limits": {name: resource.getrlimit(getattr(resource, name)) for name in _LIMITS},
        }
        socket.send_fds(channel, [json.dumps(request).encode()], given)
        channel.recv(_PACKET)  # the process
        code = int(channel.recv(_PACKET))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    _main()

"""The process that `forgetest local serve` starts: the server of the embedded model."""

import argparse
import sys
import time

from forgetest.sampling.local import MODEL, weights

CONTEXT_PER_SLOT = 2048


def start_server(*, port: int, slots: int, threads: int) -> str:
    """Start the server on loopback and return its base URL once the model is loaded."""
    import xllamacpp  # noqa: PLC0415 - optional, and it takes a while to load

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {MODEL}
    params.n_ctx, params.n_parallel = CONTEXT_PER_SLOT * slots, slots
    params.hostnames, params.port = ["127.0.0.1"], port
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity = 0
    server = xllamacpp.Server(params)
    # The server lives as long as this object; the process ends by leaving `main`.
    _running.append(server)
    return f"{server.listening_address.rstrip('/')}/v1"


_running: list[object] = []


def main() -> None:
    """Serve until standard input closes (a parent that died closes it) or for ever."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--until-stdin-closes", action="store_true")
    options = parser.parse_args()
    url = start_server(port=options.port, slots=options.slots, threads=options.threads)
    sys.stdout.write(f"ready {url}\n")
    sys.stdout.flush()
    if options.until_stdin_closes:
        sys.stdin.buffer.read()
    else:
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()

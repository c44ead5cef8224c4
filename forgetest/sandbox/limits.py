"""The limits of what a sandbox runs for itself, before any sample."""

from forgetest.process import GIB, CommandLimits

BUILD = CommandLimits(wall_secs=180)
PROBE = CommandLimits(wall_secs=30, cpu_secs=20, address_space=4 * GIB)
ASK = CommandLimits(wall_secs=30)

"""Letters of runs to compare: who passed what."""

TEN = {f"set/c{i}": "PPPPP" for i in range(10)}


BROKEN = {**TEN, "set/c3": "BBBBB"}

"""The Python API: cases, a grader, results.

`forgetest` itself offers these names; what stands here is loaded when one of them is used.
"""

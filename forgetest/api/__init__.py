"""The Python API: cases, a grader, results.

`forgetest` itself offers these names; what is defined here is loaded when one of them is used.
"""

"""The pictures of a page, each a pure function of its models and cases."""

"""A labeller of sentences: hashed features, two logistic regressions, a compact file. Pure."""

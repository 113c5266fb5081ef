"""`make bench`: what everything costs, at sizes from ten thousand documents to two million."""

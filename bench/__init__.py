"""`make bench`: measure time, memory and disk, from ten thousand to two million documents."""

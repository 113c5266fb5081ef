"""The process of a worker: its duties beside the jobs, and its slots."""

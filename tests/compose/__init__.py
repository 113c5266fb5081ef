"""`make compose-check`: start docker-compose.yml with podman, and take a collection through it.

Begin at `__main__.py`. `images.py` makes the images where no registry can be reached, `stack.py`
starts and kills the services, `walk.py` is what people then do. It may import `bench`.
"""

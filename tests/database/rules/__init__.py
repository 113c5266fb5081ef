"""Ways to break each constraint and trigger, in a module for each room that states them.

Begin with `world.py`.
"""

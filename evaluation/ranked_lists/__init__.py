"""Two systems' ranked lists for one query, side by side with the final grades.

It imports `scoring`. Begin with `page.py`.
"""

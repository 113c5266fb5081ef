import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

# Python's garbage collector looks through all objects again and again. That took 75 ms each time,
# in which the process answered no request. What is loaded here stays until the process ends.
_ = get_resolver().url_patterns  # loads the views, which the first request would load otherwise
gc.collect()
gc.freeze()

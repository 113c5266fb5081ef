"""Send a file, or the part that a client still lacks of it (RFC 9110, section 14).

Django's `FileResponse` ignores `Range`. The one of WhiteNoise is for static files: it takes no
`If-Range`, and refuses a part of one byte. Only its reader of a part is used here.
"""

from __future__ import annotations

import os
import re
from typing import BinaryIO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header
from whitenoise.responders import SlicedFile

from web.requests.refusals import refuse

ONE_RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})-(\d{0,18})\s*", re.ASCII | re.IGNORECASE)


class NotSatisfiable(Exception):
    """The range begins after the end of the file, or is empty."""


def send_file(
    request: HttpRequest, file: BinaryIO, *, name: str, content_type: str, etag: str
) -> HttpResponseBase:
    """Send the file under this name: whole (200), the range asked for (206), or 416.

    `etag` is strong, with its quotes. The file must support `fileno` and is closed afterwards.
    """
    size = os.fstat(file.fileno()).st_size
    try:
        part = asked_range(request, size, etag)
    except NotSatisfiable:
        file.close()
        message = f"The file has {size:,} bytes, and the range begins after its end or is empty."
        response: HttpResponseBase = refuse(request, 416, "range_not_satisfiable", message)
        response.headers["Content-Range"] = f"bytes */{size}"
        return response
    first, last = part or (0, size - 1)
    if request.method == "HEAD":
        file.close()
        response = HttpResponse(content_type=content_type)
        response.headers["Content-Disposition"] = content_disposition_header(True, name) or ""
    else:
        response = FileResponse(
            SlicedFile(file, first, last) if part else file,
            as_attachment=True,
            filename=name,
            content_type=content_type,
        )
    if part:
        response.status_code = 206
        response.headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    response.headers["Content-Length"] = str(last - first + 1)
    response.headers["Accept-Ranges"] = "bytes"
    response.headers["ETag"] = etag
    return response


def asked_range(request: HttpRequest, size: int, etag: str) -> tuple[int, int] | None:
    """The first and the last byte of the range asked for, or None for the whole file.

    A range is ignored, as the standard allows or demands, if it is not of a GET, of a file that has
    changed since (`If-Range`), malformed, or one of several.

    Raises:
        NotSatisfiable: no byte of the file is in the range.
    """
    match = ONE_RANGE.fullmatch(request.headers.get("Range", ""))
    if request.method != "GET" or not match or match[1] == match[2] == "":
        return None
    if request.headers.get("If-Range", etag) != etag:
        return None
    if match[1]:
        first, last = int(match[1]), int(match[2] or size)
        if last < first:
            return None  # malformed
    else:
        first, last = max(size - int(match[2]), 0), size - 1
    if first >= size:
        raise NotSatisfiable
    return first, min(last, size - 1)

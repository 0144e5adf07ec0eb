"""Files that come compressed: gzip, Zstandard, and zip archives with Zstandard members.

Nothing is unpacked beyond a limit: a file of a few kilobytes can hold gigabytes of nothing.
"""

from __future__ import annotations

import gzip
import io
import sys
from typing import IO, TYPE_CHECKING, cast

from tokengeist.errors import FormatError

if TYPE_CHECKING:
    from zipfile import ZipFile

LIMIT = 1 << 30

_GZIP = b"\x1f\x8b"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"


def unpacked(data: bytes, origin: str) -> bytes:
    """The content of a gzip or Zstandard file; any other data as it is."""
    try:
        if data.startswith(_GZIP):
            with gzip.open(io.BytesIO(data)) as file:
                return within_limit(file, origin)
        if data.startswith(_ZSTANDARD):
            with _open_zstandard(data) as file:
                return within_limit(file, origin)
    except FormatError:
        raise
    except Exception as error:  # every decompressor has errors of its own
        raise FormatError(f"{origin}: the compressed file is damaged: {error}") from None
    return data


def within_limit(file: gzip.GzipFile | IO[bytes], origin: str) -> bytes:
    """All of a compressed file, unless it is more than a transcript can be."""
    content = file.read(LIMIT + 1)
    if len(content) > LIMIT:
        raise FormatError(f"{origin}: unpacked, this is more than {LIMIT >> 20:,} MiB; split it")
    return content


def _open_zstandard(data: bytes) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast(IO[bytes], zstd.open(io.BytesIO(data)))


def open_archive(data: bytes) -> ZipFile:
    """A zip archive, whose members may be compressed with Zstandard."""
    if sys.version_info >= (3, 14):
        from zipfile import ZipFile as AnyZipFile
    else:
        from backports.zstd.zipfile import ZipFile as AnyZipFile
    return cast("ZipFile", AnyZipFile(io.BytesIO(data)))

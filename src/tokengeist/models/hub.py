"""Files from the Hugging Face hub, and in words why there are none."""

from __future__ import annotations

import os
from pathlib import Path

from tokengeist.models.store import hub_cache


class NotOnHubError(Exception):
    """What was asked for cannot be had; the message is the end of a sentence about it."""


def fetch(name: str, patterns: list[str]) -> Path:
    """The folder with those files of a hub repository that fit `patterns`, downloaded if need be.

    The hub is asked once. Its library's other ways try six times before they believe that there is
    no network, which takes them 25 seconds.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise NotOnHubError("HF_HUB_OFFLINE forbids asking the hub for it")
    try:
        # `cache_dir` is said outright so that `store.locate` finds a model where it was put.
        found = snapshot_download(
            name, allow_patterns=patterns, cache_dir=hub_cache(), etag_timeout=10
        )
    except HFValidationError:
        raise NotOnHubError("it cannot be the id of a hub repository") from None
    except HfHubHTTPError as error:
        status = getattr(error.response, "status_code", None)
        why = {401: "does not exist or needs a login", 403: "is closed", 404: "does not exist"}
        reason = why.get(status or 0, f"could not be fetched (status {status})")
        raise NotOnHubError(f"on the hub it {reason}") from None
    except Exception as error:  # whatever the HTTP library of the day raises for a bad connection
        raise NotOnHubError(
            f"the hub cannot be reached from here ({type(error).__name__})"
        ) from None
    return Path(found)

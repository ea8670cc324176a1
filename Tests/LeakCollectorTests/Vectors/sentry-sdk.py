"""Sends with the SDK as an app would: python3 sentry-sdk.py DSN SCENARIO. Prints a line of JSON."""
import json
import sys
import time

import sentry_sdk


class StillInMemory(Exception):
    pass


def leak(number):
    """The same leak each time: only what does not name it changes."""
    with sentry_sdk.new_scope() as scope:
        scope.fingerprint = ["Shop.CartController", "popped"]
        scope.set_context("leak", {"class": "Shop.CartController", "kind": "view_controller"})
        scope.set_user({"id": "install-%d" % number})
        return sentry_sdk.capture_message(
            "Shop.CartController still alive %d s after it was popped" % number, level="warning"
        )


def leaks():
    ids = [leak(1), leak(2)]
    try:
        raise StillInMemory("Shop.ProfileView")
    except StillInMemory as error:
        ids.append(sentry_sdk.capture_exception(error))
    sentry_sdk.flush(timeout=60)
    return {"ids": ids}


def limit():
    """Sends more than it may, is silent as long as it is told to, and says then how much it kept back."""
    sent = 0
    transport = sentry_sdk.get_client().transport
    while not transport._disabled_until:
        leak(sent)
        sent += 1
        time.sleep(0.05)
        assert sent < 1000, "never refused"
    # Nothing of these leaves the SDK.
    kept_back = 5
    for number in range(kept_back):
        leak(sent + number)
    end = max(until.timestamp() for until in transport._disabled_until.values())
    # Room for two requests, the event and the client report.
    time.sleep(max(0, end - time.time()) + 4)
    leak(0)
    sentry_sdk.flush(timeout=60)
    return {"sent": sent + 1, "kept_back": kept_back}


def outage():
    """Two events, of which the first one meets a collector that cannot write."""
    for number in range(2):
        leak(number)
        sentry_sdk.flush(timeout=60)
    return {"sent": 2}


sentry_sdk.init(
    sys.argv[1],
    release="com.example.shop@5.2.0+812",
    default_integrations=False,
    auto_enabling_integrations=False,
)
print(json.dumps({"leaks": leaks, "limit": limit, "outage": outage}[sys.argv[2]]()), flush=True)

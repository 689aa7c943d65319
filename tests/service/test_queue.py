"""The run queue: delivers run ids, says when it cannot, and never raises for an absent broker."""

import json
import signal

import pytest
import redis

from service.queue import RUN_TASK, CeleryRunQueue
from tests.fixtures.broker import Broker


def test_a_sent_run_waits_in_the_broker_as_one_plain_string(broker: Broker) -> None:
    queue = CeleryRunQueue(broker.url)
    queue.send("run_1")
    client = redis.Redis(unix_socket_path=str(broker.socket))
    (message,) = client.lrange("bundlegate:bundlegate", 0, -1)
    client.close()
    envelope = json.loads(message)
    assert envelope["headers"]["task"] == RUN_TASK
    assert "run_1" in envelope["headers"]["argsrepr"]
    assert envelope["content-type"] == "application/json"
    queue.close()


def test_ping_asks_the_broker_each_time(broker: Broker) -> None:
    queue = CeleryRunQueue(broker.url)
    assert queue.ping()
    broker.stop(signal.SIGKILL)
    assert not queue.ping()
    broker.start()
    assert queue.ping()
    queue.close()


def test_sending_goes_on_after_the_broker_comes_back(broker: Broker) -> None:
    queue = CeleryRunQueue(broker.url)
    queue.send("run_1")
    broker.stop(signal.SIGKILL)
    queue.send("run_2")
    broker.start()
    queue.send("run_3")
    client = redis.Redis(unix_socket_path=str(broker.socket))
    assert client.llen("bundlegate:bundlegate") >= 1
    client.close()
    queue.close()


@pytest.mark.parametrize(
    "address", ["redis+socket:///nowhere/broker.sock", "redis://127.0.0.1:1/0"]
)
def test_an_absent_broker_is_no_error_of_the_sender(address: str) -> None:
    queue = CeleryRunQueue(address)
    queue.send("run_1")
    assert not queue.ping()
    queue.close()

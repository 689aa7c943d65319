"""The run queue: delivers run ids, says when it cannot, and never raises for an absent broker."""

import json
import signal
import subprocess
import sys

import pytest
import redis

from service.queue import CeleryRunQueue
from service.transport import RUN_TASK
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


def _in_a_fresh_interpreter(program: str, address: str) -> list[str]:
    head = (
        "import sys\nfrom service.queue import CeleryRunQueue\nqueue = CeleryRunQueue(sys.argv[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{head}\n{program}", address],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


FIRST_SENDS = """
from threading import Thread
print("celery" in sys.modules, queue.ping())
senders = [Thread(target=queue.send, args=[f"run_{number}"]) for number in range(4)]
for sender in senders:
    sender.start()
for sender in senders:
    sender.join()
queue.close()
"""


def test_runs_sent_right_after_the_first_ping_wait_for_celery_and_all_arrive(
    broker: Broker,
) -> None:
    assert _in_a_fresh_interpreter(FIRST_SENDS, broker.url) == ["False", "True"]
    client = redis.Redis(unix_socket_path=str(broker.socket))
    assert client.llen("bundlegate:bundlegate") == 4
    client.close()


def test_an_answer_on_a_private_socket_begins_the_import_of_celery(broker: Broker) -> None:
    program = """
import threading
assert queue.ping()
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join()
print("service.transport" in sys.modules)
"""
    assert _in_a_fresh_interpreter(program, broker.url) == ["True"]


@pytest.mark.parametrize("address", ["redis://127.0.0.1:1/0", "redis+socket:///no?virtual_host=1"])
def test_a_broker_elsewhere_is_asked_the_way_runs_are_sent(address: str) -> None:
    program = 'print(queue.ping(), "service.transport" in sys.modules)'
    assert _in_a_fresh_interpreter(program, address) == ["False", "True"]


def test_what_answers_but_refuses_is_no_broker(broker: Broker) -> None:
    client = redis.Redis(unix_socket_path=str(broker.socket))
    client.config_set("requirepass", "secret")
    queue = CeleryRunQueue(broker.url)
    assert not queue.ping()
    queue.close()
    client.close()

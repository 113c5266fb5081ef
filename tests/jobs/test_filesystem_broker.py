"""The embedded broker's folder, as killed processes and full disks leave it.

The tests of kombu's own transport say why there is one of ours. When they fail, kombu may have
learned to read such a folder, and ours can go (docs/adr/0015-filesystem-broker.md).
"""

from __future__ import annotations

import json

import pytest
from kombu import Connection, Queue

OURS = "jobs.filesystem_broker:Transport"
KOMBUS = "filesystem"


@pytest.fixture
def folders(tmp_path):
    for name in ("messages", "control"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def connect(folders):
    links = []

    def connect(transport: str = OURS) -> Connection:
        link = Connection(
            "filesystem://localhost",
            transport=transport,
            transport_options={
                "data_folder_in": str(folders / "messages"),
                "data_folder_out": str(folders / "messages"),
                "control_folder": str(folders / "control"),
            },
        )
        links.append(link)
        return link

    yield connect
    for link in links:
        link.release()


def queue(link: Connection):
    return link.SimpleQueue(Queue("q", routing_key="q", exchange="q"))


def read(link: Connection) -> object:
    return queue(link).get_nowait().payload


def test_messages_come_out_once_in_the_order_they_went_in(connect, folders):
    sender, first, second = connect(), connect(), connect()
    for number in range(3):
        queue(sender).put(number)
    assert [read(first), read(second), read(first)] == [0, 1, 2]
    assert list((folders / "messages").iterdir()) == []


def test_a_message_cut_short_is_dropped_and_the_next_one_read(connect, folders, caplog):
    (folders / "messages" / "000_cut.q.msg").write_bytes(b"")
    queue(connect()).put("whole")
    assert read(connect()) == "whole"
    assert "dropped the unreadable message 000_cut.q.msg" in caplog.text


def test_kombus_own_reader_fails_on_a_message_cut_short(connect, folders):
    """Celery's worker exits with this error. A message is empty while kombu writes it, too."""
    (folders / "messages" / "000_cut.q.msg").write_bytes(b"")
    link = connect(KOMBUS)
    with pytest.raises(json.JSONDecodeError):
        read(link)


def test_a_message_half_written_is_not_seen(connect, folders):
    (folders / "messages" / "000_half.q.msg.x.part").write_bytes(b"{")
    link = connect()
    with pytest.raises(queue(link).Empty):
        read(link)


def test_a_table_of_queues_cut_short_is_made_anew(connect, folders):
    (folders / "control" / "q.exchange").write_bytes(b"")
    queue(connect()).put("found")
    assert read(connect()) == "found"


def test_kombus_own_table_cut_short_stops_workers_and_senders(connect, folders):
    """It stays so until a person removes the file: no worker can start, no job is sent."""
    table = folders / "control" / "jobs.exchange"
    table.write_bytes(b"")
    jobs = Queue("jobs", routing_key="jobs", exchange="jobs")
    with pytest.raises(json.JSONDecodeError):
        connect(KOMBUS).SimpleQueue(jobs)
    with pytest.raises(json.JSONDecodeError):
        connect(KOMBUS).SimpleQueue(jobs).put("not sent")
    assert table.read_bytes() == b""


def test_queues_keep_to_their_own_messages(connect):
    link = connect()
    link.SimpleQueue(Queue("other", routing_key="other", exchange="other")).put("not yours")
    with pytest.raises(queue(link).Empty):
        read(link)

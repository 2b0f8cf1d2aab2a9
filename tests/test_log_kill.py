"""Killed at any moment, a game goes on where it was: with every record it was told is safe, and never half of one."""

import os
import random
import signal
import time
from contextlib import closing
from itertools import islice

import pytest

from companion.log import Log
from companion.log_file import FILE_NAME, copy_in_memory, entries
from companion.timeline import replay
from tests.random_games import endless_records

SCRIPT = list(islice(endless_records(11), 20_000))


class Scorekeeper:
    """A process that goes on with the script where the log stands, and tells through a pipe what is on disk."""

    def __init__(self, state_dir, done, die_before_telling=None):
        self.told = done
        self._pipe, pipe = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self._pipe)
                log = Log.open(state_dir)
                for number, record in enumerate(SCRIPT[done:], start=done + 1):
                    log.append(record)
                    if number == die_before_telling:
                        os.kill(os.getpid(), signal.SIGKILL)
                    os.write(pipe, b".")
            finally:
                os._exit(1)
        os.close(pipe)

    def wait_for_one(self):
        self.told += len(os.read(self._pipe, 1))

    def kill(self):
        """How many records the process told were on disk until it was killed."""
        os.kill(self.pid, signal.SIGKILL)
        return self.end()

    def end(self):
        while told := os.read(self._pipe, 65536):
            self.told += len(told)
        os.close(self._pipe)
        _, status = os.waitpid(self.pid, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        return self.told


def stored(state_dir):
    """How many records of the script a log resumes with, after checking that they are exactly those."""
    with Log.open(state_dir) as log:
        moment, notice = log.moment(), log.notice
    with closing(copy_in_memory(state_dir / FILE_NAME)) as db:
        records = [entry.record for entry in entries(db)]
    assert records == SCRIPT[: len(records)]
    expected = replay(records)
    assert (moment and (moment.game, moment.events())) == (expected and (expected.game, expected.events()))
    assert notice is None
    return len(records)


def survive(folder, kills, seed):
    """Kills as often as asked for and resumes each time; a new game begins after every 50."""
    chance = random.Random(seed)
    for kill in range(kills):
        if kill % 50 == 0:
            state_dir, done = folder / str(kill), 0
        process = Scorekeeper(state_dir, done)
        process.wait_for_one()
        time.sleep(chance.uniform(0, 0.03))
        told = process.kill()
        done = stored(state_dir)
        assert told <= done <= told + 1


def test_a_game_killed_at_40_random_moments_loses_nothing_that_was_told(tmp_path):
    survive(tmp_path, kills=40, seed=1)


@pytest.mark.slow
def test_a_game_killed_at_600_random_moments_loses_nothing_that_was_told(tmp_path):
    survive(tmp_path, kills=600, seed=2)


def test_a_record_on_disk_that_nobody_was_told_of_is_still_there(tmp_path):
    done = 0
    for number in (1, 2, 3, 50, 51):
        told = Scorekeeper(tmp_path, done, die_before_telling=number).end()
        done = stored(tmp_path)
        assert (told, done) == (number - 1, number)


def test_a_log_killed_while_it_is_begun_can_be_begun_again(tmp_path):
    chance = random.Random(3)
    for n in range(12):
        state_dir = tmp_path / str(n)
        pid = os.fork()
        if pid == 0:
            try:
                Log.open(state_dir)
                time.sleep(10)
            finally:
                os._exit(1)
        time.sleep(chance.uniform(0, 0.03))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with Log.open(state_dir) as log:
            log.append(SCRIPT[0])
            assert log.moment() is not None

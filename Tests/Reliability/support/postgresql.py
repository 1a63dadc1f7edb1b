"""Starts a PostgreSQL of one's own, and a proxy in front of it that cuts connections."""

import contextlib
import glob
import os
import pwd
import select
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from support.harness import Skip


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def tool(name):
    """A program of PostgreSQL's, the newest; Debian keeps them out of PATH."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    path = found[-1] if found else shutil.which(name)
    if not path:
        raise Skip(f"{name} is not installed (apt-get install postgresql)")
    return path


class PostgreSQL:
    """A database server in a scratch directory, run by an ordinary user; with a primary, a standby that follows it."""

    def __init__(self, directory=None, primary=None):
        self.directory = tempfile.mkdtemp(prefix="postgresql-", dir=directory)
        self.data = os.path.join(self.directory, "data")
        self.port = free_port()
        self.user = None
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            self.user = pwd.getpwnam("postgres")
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)
        if primary:
            self.follow(primary)
            return
        self._run(tool("initdb"), "-D", self.data, "-A", "trust", "-U", "app", "-E", "UTF8", "--no-sync")
        self.start()

    def follow(self, primary):
        """Becomes a standby of another server, and forgets all that it had."""
        shutil.rmtree(self.data, ignore_errors=True)
        self._run(
            tool("pg_basebackup"), "-D", self.data, "-R", "-h", primary.directory, "-p", str(primary.port), "-U", "app",
            "--checkpoint=fast", "--no-sync")
        self.start()

    def _run(self, *command):
        as_user = {} if self.user is None else {
            "user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        return subprocess.run(
            command, check=True, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, **as_user)

    def start(self):
        options = f"-p {self.port} -k {self.directory} -c listen_addresses=127.0.0.1 -c max_connections=50"
        self._run(tool("pg_ctl"), "-D", self.data, "-o", options, "-l", os.path.join(self.directory, "log"), "-w", "start")

    def kill(self):
        """Ends it as a crash would."""
        self._run(tool("pg_ctl"), "-D", self.data, "-m", "immediate", "-w", "stop")

    def url(self, schema="json_server", port=None):
        return f"postgres://app@127.0.0.1:{port or self.port}/postgres?schema={schema}"

    def secure(self, certificate):
        """Makes the database require TLS and passwords over TCP; writes its certificate to a file."""
        key = os.path.join(self.data, "server.key")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
            check=True, stderr=subprocess.DEVNULL)
        shutil.copy(certificate, os.path.join(self.data, "server.crt"))
        os.chmod(key, 0o600)
        if self.user:
            os.chown(key, self.user.pw_uid, self.user.pw_gid)
        with open(os.path.join(self.data, "pg_hba.conf"), "w") as file:
            file.write("local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n")
        with open(os.path.join(self.data, "postgresql.auto.conf"), "a") as file:
            file.write("ssl = on\n")
        self.kill()
        self.start()

    def socket_url(self, schema):
        """An address by the way that does not notice when a client stops."""
        return f"postgres:///postgres?host={self.directory}&port={self.port}&user=app&schema={schema}"

    def _psql(self, *arguments):
        return [tool("psql"), "-h", self.directory, "-p", str(self.port), "-U", "app", "-XAtq", *arguments, "postgres"]

    def query(self, *texts):
        """What statements return, each text in a transaction of its own."""
        arguments = [argument for text in texts for argument in ("-c", text)]
        return subprocess.run(self._psql(*arguments), check=True, capture_output=True, text=True).stdout.strip()

    @contextlib.contextmanager
    def transaction(self, text):
        """Runs statements in a transaction that ends with the block: by then it is committed."""
        with subprocess.Popen(self._psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as psql:
            psql.stdin.write(f"SET statement_timeout = 0; BEGIN; {text};\n\\echo begun\n")
            psql.stdin.flush()
            while psql.stdout.readline() not in ("begun\n", ""):
                pass
            yield
            psql.stdin.write("COMMIT;\n")

    def await_sleep(self):
        """Waits until something sleeps in a statement, and returns the process that serves it."""
        while True:
            found = self.query("SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
            if found:
                return int(found)
            time.sleep(0.02)

    def await_lock(self, schema):
        """Waits until a server of a schema waits for a lock, and returns the process that serves it."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            found = self.query(f"""
                SELECT waiting.pid FROM pg_locks AS waiting JOIN pg_locks AS held USING (pid)
                    JOIN pg_class ON pg_class.oid = held.relation
                WHERE NOT waiting.granted AND held.relation::regclass::text LIKE '{schema}.%' LIMIT 1""")
            if found:
                return found
            time.sleep(0.02)
        raise RuntimeError(f"no server of {schema} waits for a lock")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.kill()
        except subprocess.CalledProcessError:
            pass
        shutil.rmtree(self.directory, ignore_errors=True)


class Proxy(threading.Thread):
    """Passes connections on to a port; cuts them, or holds back what they carry."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.pairs = {}
        # The sides of connections that carry nothing any more.
        self.forgotten = set()
        self.frozen = threading.Event()
        self.closed = False
        self.start()

    def run(self):
        while not self.closed:
            with self.lock:
                sockets = [] if self.frozen.is_set() else list(self.pairs)
            try:
                ready, _, _ = select.select([self.listener, *sockets], [], [], 0.01)
            except (OSError, ValueError):
                # Another thread has cut a connection meanwhile.
                continue
            for source in ready:
                if source is self.listener:
                    self.accept()
                elif not self.frozen.is_set():
                    self.move(source)

    def accept(self):
        client, _ = self.listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 2)
        except OSError:
            client.close()
            return
        for side in (client, server):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.lock:
            self.pairs[client], self.pairs[server] = server, client

    def move(self, source):
        with self.lock:
            target = self.pairs.get(source)
            is_forgotten = source in self.forgotten
        if target is None:
            return
        try:
            data = source.recv(1 << 16)
            if is_forgotten:
                if not data:
                    # The other side does not hear of the end.
                    with self.lock:
                        self.pairs.pop(source, None)
                return
            if data:
                self.pass_on(data, source, target)
                return
        except OSError:
            pass
        self.end(source)

    def pass_on(self, data, source, target):
        """Sends what one side has sent to the other."""
        target.sendall(data)

    def end(self, source):
        with self.lock:
            target = self.pairs.pop(source, None)
            self.pairs.pop(target, None)
        for side in (source, target):
            if side is not None:
                side.close()

    def forget(self):
        """Loses what the connections of now carry, without a word."""
        with self.lock:
            self.forgotten |= set(self.pairs)

    def cut(self):
        """Closes all connections."""
        with self.lock:
            sockets = list(self.pairs)
            self.pairs, self.forgotten = {}, set()
        for side in sockets:
            side.close()

    def close(self):
        self.closed = True
        self.join(5)
        self.cut()
        self.listener.close()


class PgBouncer:
    """A pool of connections in front of a port, each kept for a session."""

    @staticmethod
    def program():
        return shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")

    def __init__(self, target):
        self.directory = tempfile.mkdtemp(prefix="pgbouncer-")
        self.port = free_port()
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        self.path = os.path.join(self.directory, "pgbouncer.ini")
        with open(self.path, "w") as file:
            file.write(f"""[databases]
postgres = host=127.0.0.1 port={target} user=app
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = any
pool_mode = session
server_connect_timeout = 2
server_login_retry = 0
query_wait_timeout = 2
""")
        self.begin()

    def begin(self):
        if self.user:
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)
        as_user = {} if self.user is None else {
            "user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        self.process = subprocess.Popen(
            [self.program(), "-q", self.path], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, **as_user)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.02)
        raise RuntimeError("pgbouncer does not start")

    def stop(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

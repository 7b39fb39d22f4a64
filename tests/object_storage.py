"""A server on this machine that speaks S3, with one empty bucket, for tests of object storage."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

KEY, SECRET = "AKIAEXAMPLEKEY0001", "SecretExampleKey0123456789abcd"


@contextmanager
def bucket_server() -> Iterator[str]:
    """The address of moto's server with a bucket called ``bucket``; skipped where moto or s3fs is missing."""
    pytest.importorskip("s3fs", reason="pip install 'strategy-intent[cloud]'")
    server = pytest.importorskip("moto.server", reason="pip install 'moto[server]'")
    import boto3

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    serving = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    serving.start()
    host, port = serving.get_host_and_port()
    address = f"http://{host}:{port}"
    boto3.client(
        "s3",
        endpoint_url=address,
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
        region_name="us-east-1",
    ).create_bucket(Bucket="bucket")
    try:
        yield address
    finally:
        serving.stop()


@contextmanager
def refusing_server() -> Iterator[str]:
    """The address of a server that denies everything."""

    class Refusing(BaseHTTPRequestHandler):
        def answer(self) -> None:
            text = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
            self.send_response(403)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(text)

        do_GET = do_HEAD = do_PUT = do_POST = answer

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def use(monkeypatch: pytest.MonkeyPatch, address: str, keys: bool = True) -> None:
    """Point this process at a server, with its keys or without any."""
    import s3fs

    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name, value in (("AWS_ACCESS_KEY_ID", KEY), ("AWS_SECRET_ACCESS_KEY", SECRET)):
        monkeypatch.setenv(name, value) if keys else monkeypatch.delenv(name, raising=False)
    s3fs.S3FileSystem.clear_instance_cache()

"""A payment service as a process of its own: `python payment_server.py LEDGER`. It prints its port.

Its ledger and its keys are rows of one SQLite file, written in one transaction, so it may be killed at any time.
`POST /refunds {order_id, amount}`: an effect. A header `Lose: N` loses the receipts of the first N requests of
that order (the effects stay); `Slow: S` holds each answer back by S seconds.
`GET /refunds/ORDER`: the effects of one order, with their references.
"""

import json
import sqlite3
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LOCK = threading.Lock()


class Ledger:
    def __init__(self, path: str) -> None:
        self.rows = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.rows.execute("PRAGMA journal_mode = WAL")
        for table in (
            "effects (id INTEGER PRIMARY KEY, order_id, amount, reference)",
            "keys (key PRIMARY KEY, effect)",
            "requests (order_id, key, at)",
        ):
            self.rows.execute(f"CREATE TABLE IF NOT EXISTS {table}")

    def refund(self, order_id: str, amount: str, key: str | None, reference: str | None) -> tuple[int, int]:
        """(number of the effect, how many requests there have been for this order)."""
        with LOCK:
            self.rows.execute("BEGIN IMMEDIATE")
            self.rows.execute("INSERT INTO requests VALUES (?, ?, ?)", (order_id, key, time.time()))
            seen = self.rows.execute("SELECT COUNT(*) FROM requests WHERE order_id = ?", (order_id,)).fetchone()[0]
            found = self.rows.execute("SELECT effect FROM keys WHERE key = ?", (key,)).fetchone() if key else None
            if found is None:
                row = self.rows.execute(
                    "INSERT INTO effects (order_id, amount, reference) VALUES (?, ?, ?) RETURNING id",
                    (order_id, amount, reference),
                ).fetchone()
                if key:
                    self.rows.execute("INSERT INTO keys VALUES (?, ?)", (key, row[0]))
                found = row
            self.rows.execute("COMMIT")
            return int(found[0]), int(seen)

    def of(self, order_id: str) -> list[dict[str, Any]]:
        with LOCK:
            rows = self.rows.execute(
                "SELECT id, amount, reference FROM effects WHERE order_id = ?", (order_id,)
            ).fetchall()
        return [{"id": row[0], "amount": row[1], "reference": row[2]} for row in rows]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    ledger: Ledger

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Idempotency-Key")
        number, seen = self.ledger.refund(body["order_id"], body["amount"], key, body.get("reference"))
        time.sleep(float(self.headers.get("Slow", 0)))
        if seen <= int(self.headers.get("Lose", 0)):
            self.close_connection = True
            return
        self._answer({"id": number})

    def do_GET(self) -> None:
        self._answer({"refunds": self.ledger.of(self.path.rpartition("/")[2])})

    def _answer(self, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


if __name__ == "__main__":
    Handler.ledger = Ledger(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()

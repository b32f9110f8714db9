"""A stub of what muster-comment asks of GitHub and GitLab: pull requests, comments and their authors."""
import http.server
import json
import re
import threading
import urllib.parse

LIMIT = {"github": 65536, "gitlab": 1_000_000}


class Host:
    """One repository with one pull request, number 7, and its comments: dictionaries with id, author and body."""

    def __init__(self, kind, comments=(), rights=True, me="github-actions[bot]"):
        self.kind = kind
        self.comments = [{"id": 100 + at, "author": author, "body": body} for at, (author, body) in enumerate(comments)]
        self.rights = rights
        self.me = me
        self.head = {"sha": "a" * 40, "branch": "someone:topic"}
        self.state = "open"  # of the pull request
        self.busy = 0  # how many requests are answered with `busy_status` first
        self.busy_status = 503
        self.failing = None  # a method that is answered with `failing_status`; with no answer at all where that is 0
        self.failures = 100  # how often
        self.failing_status = 500
        self.failing_text = "failed"
        self.redirect = None
        self.log = []

    def answer(self, method, path, query, body):
        self.log.append((method, path))
        if self.busy > 0:
            self.busy -= 1
            return self.busy_status, {"message": "busy"}
        if method == self.failing and self.failures > 0:
            self.failures -= 1
            return self.failing_status, {"message": self.failing_text}
        found = re.fullmatch(r"/(?:repos/o/r/issues/7/comments|projects/5/merge_requests/7/notes)", path)
        one = re.fullmatch(r"/(?:repos/o/r/issues/comments|projects/5/merge_requests/7/notes)/(\d+)", path)
        if path == "/user":
            return (200, {"username": self.me}) if self.rights else (401, {"message": "unauthorized"})
        if method == "GET" and path in ("/repos/o/r/pulls", f"/repos/o/r/commits/{self.head['sha']}/pulls"):
            asked = query.get("head", [self.head["branch"]])[0]
            return 200, self.page(query, [self.pull()] if asked == self.head["branch"] else [])
        if found and method == "GET":
            return 200, self.page(query, [self.shown(comment) for comment in self.comments])
        if (found and method == "POST") or (one and method in ("PATCH", "PUT")):
            return self.write(int(one[1]) if one else None, body["body"])
        return 404, {"message": "not found"}

    def write(self, number, text):
        if not self.rights:
            return 403, {"message": "Resource not accessible by integration"}
        if len(text) > LIMIT[self.kind]:
            return (422, {"message": "body is too long (maximum is 65536 characters)"}) if self.kind == "github" else (400, {"message": "note is too long"})
        if number is None:
            self.comments.append({"id": 500 + len(self.comments), "author": self.me, "body": text})
            return 201, self.shown(self.comments[-1])
        for comment in self.comments:
            if comment["id"] == number:
                comment["body"] = text
                return 200, self.shown(comment)
        return 404, {"message": "not found"}

    def shown(self, comment):
        name = "login" if self.kind == "github" else "username"
        author = {name: comment["author"]}
        if self.kind == "gitlab":
            return {"id": comment["id"], "body": comment["body"], "system": comment.get("system", False), "author": author}
        return {"id": comment["id"], "body": comment["body"], "user": author if comment["author"] else None}

    def pull(self):
        return {"number": 7, "state": self.state, "head": {"sha": self.head["sha"]}}

    @staticmethod
    def page(query, items):
        size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        return items[(page - 1) * size:page * size]


class Handler(http.server.BaseHTTPRequestHandler):
    def take(self):
        host = self.server.host
        address = urllib.parse.urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        if host.redirect:
            self.send_response(302)
            self.send_header("Location", host.redirect)
            self.end_headers()
            return
        status, answer = host.answer(self.command, address.path, urllib.parse.parse_qs(address.query), body)
        if status == 0:  # the connection ends without an answer
            return
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_PUT = take

    def log_message(self, *_):
        pass


class Served:
    """The stub at an address of this machine, for the length of a `with`."""

    def __init__(self, host):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.host = host

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

"""The objects of a kind in all namespaces, as the server's watch reports them. What looks at them again and again asks here,
and not the server: its answers to such questions were a fifth of its work."""
import http.client
import threading

from .api import Refused


class Watched:
    """`see` is called with each object that is new or has changed, in the thread of the watch."""

    def __init__(self, api, path, see=None):
        self.api, self.path, self.see = api, path, see
        self.objects = {}  # namespace: {name: object}
        self.guard = threading.Lock()
        self.ready, self.stopping = threading.Event(), threading.Event()
        threading.Thread(target=self.follow, daemon=True).start()

    def of(self, namespace):
        """The objects of a namespace by their names, as a list of the server has them."""
        self.ready.wait(30)
        with self.guard:
            return [thing for _, thing in sorted(self.objects.get(namespace, {}).items())]

    def stop(self):
        self.stopping.set()

    def follow(self):
        """Again from a list whenever the connection ends; never, where no kind of this path is served."""
        while not self.stopping.is_set():
            try:
                version = self.begin()
                if version is None:
                    return
                for event in self.api.watch(self.path, resourceVersion=version):
                    self.take(event["type"], event["object"])
            except (OSError, ValueError, Refused, http.client.HTTPException):
                if self.stopping.wait(0.2):
                    return

    def begin(self):
        """Takes the list that the server has; its version."""
        answer = self.api.find(self.path)
        found = {}
        for thing in (answer or {}).get("items") or []:
            found.setdefault(thing["metadata"]["namespace"], {})[thing["metadata"]["name"]] = thing
        with self.guard:
            self.objects = found
        self.ready.set()
        for things in found.values():
            for thing in list(things.values()):
                self.show(thing)
        return answer["metadata"]["resourceVersion"] if answer else None

    def take(self, kind, thing):
        if kind == "ERROR":  # the version is too old
            raise ValueError(thing.get("message", ""))
        name, space = thing["metadata"]["name"], thing["metadata"]["namespace"]
        with self.guard:
            mine = self.objects.setdefault(space, {})
            mine.pop(name, None)
            if kind != "DELETED":
                mine[name] = thing
        if kind != "DELETED":
            self.show(thing)

    def show(self, thing):
        if self.see:
            self.see(thing)

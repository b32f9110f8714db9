"""The API server's answers as Python values."""
import http.client
import json
import ssl
import threading
import urllib.parse

PLURALS = {
    "Namespace": "namespaces", "Node": "nodes", "Pod": "pods", "Service": "services", "ConfigMap": "configmaps", "Secret": "secrets",
    "PersistentVolume": "persistentvolumes", "PersistentVolumeClaim": "persistentvolumeclaims", "ServiceAccount": "serviceaccounts",
    "LimitRange": "limitranges", "ResourceQuota": "resourcequotas", "PriorityClass": "priorityclasses", "Ingress": "ingresses",
    "HyperNode": "hypernodes", "Topology": "topologies", "NetworkPolicy": "networkpolicies", "LocalQueue": "localqueues", "ClusterQueue": "clusterqueues",
    "DeviceClass": "deviceclasses", "ResourceSlice": "resourceslices", "ResourceClaimTemplate": "resourceclaimtemplates", "ResourceClaim": "resourceclaims",
    "PodDisruptionBudget": "poddisruptionbudgets", "HorizontalPodAutoscaler": "horizontalpodautoscalers",
}
CLUSTER_WIDE = {"Namespace", "Node", "PersistentVolume", "PriorityClass", "HyperNode", "Topology", "ResourceFlavor", "ClusterQueue", "Cohort", "WorkloadPriorityClass",
                "AdmissionCheck", "CustomResourceDefinition", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ClusterTrainingRuntime",
                "DeviceClass", "ResourceSlice", "ClusterRole", "ClusterRoleBinding"}
CORE = {"Queue"}  # the queues of Volcano and KAI belong to no namespace either


class Refused(Exception):
    """The server's answer to a request that it did not take."""

    def __init__(self, status):
        super().__init__(status.get("message", str(status)))
        self.code = status.get("code", 0)


def plural(kind):
    return PLURALS.get(kind) or kind.lower() + ("es" if kind.endswith("s") else "s")


def folder_of(thing):
    """The path of the objects of its kind and namespace."""
    version, kind = thing["apiVersion"], thing["kind"]
    root = f"/api/{version}" if "/" not in version else f"/apis/{version}"
    if kind in CLUSTER_WIDE or kind in CORE:
        return f"{root}/{plural(kind)}"
    return f"{root}/namespaces/{thing['metadata'].get('namespace', 'default')}/{plural(kind)}"


def parsed(text):
    """An answer; where the server has no JSON for it, its words."""
    try:
        return json.loads(text or b"{}")
    except ValueError:
        return {"words": text.decode("utf-8", "replace")}


class Api:
    def __init__(self, port, authority):
        self.port = port
        self.trust = ssl.create_default_context(cafile=str(authority))
        self.own = threading.local()  # a connection for each thread
        self.made = set()  # the paths of kinds and namespaces in which something was created

    def connection(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.trust, timeout=timeout)

    def ask(self, path, method="GET", body=None, kind="application/json"):
        """The answer; Refused if the server says no."""
        data = None if body is None else json.dumps(body)
        for attempt in (1, 2):  # a kept connection may have been closed
            if not hasattr(self.own, "kept"):
                self.own.kept = self.connection()
            try:
                self.own.kept.request(method, path, data, {"Authorization": "Bearer judge", "Content-Type": kind})
                response = self.own.kept.getresponse()
                answer = parsed(response.read())
                break
            except (OSError, http.client.HTTPException):
                self.own.kept.close()
                del self.own.kept
                if attempt == 2:
                    raise
        if response.status >= 400:
            raise Refused(answer if isinstance(answer, dict) and "message" in answer else {"message": str(answer), "code": response.status})
        return answer

    def items(self, path):
        """The objects of a list; of a kind that is not served: none."""
        try:
            return self.ask(path).get("items") or []
        except Refused as refused:
            if refused.code == 404:
                return []
            raise

    def find(self, path):
        try:
            return self.ask(path)
        except Refused as refused:
            if refused.code == 404:
                return None
            raise

    def create(self, thing):
        """Makes an object as `kubectl create --validate=strict` does: an unknown or repeated field is refused."""
        path = folder_of(thing)
        self.made.add(path)
        return self.ask(path + "?fieldValidation=Strict", "POST", thing)

    def ensure(self, thing):
        try:
            return self.create(thing)
        except Refused as refused:
            if refused.code != 409:
                raise
            return None

    def patch(self, path, body):
        return self.ask(path, "PATCH", body, "application/merge-patch+json")

    def delete(self, path, **options):
        try:
            return self.ask(path, "DELETE", {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background", **options})
        except Refused as refused:
            if refused.code != 404:
                raise
            return None

    def watch(self, path, **words):
        """Events from now on, until the connection ends."""
        connection = self.connection(timeout=None)
        connection.request("GET", path + "?" + urllib.parse.urlencode({"watch": "true", **words}), headers={"Authorization": "Bearer judge"})
        response = connection.getresponse()
        try:
            while line := response.readline():
                yield json.loads(line)
        finally:
            connection.close()
